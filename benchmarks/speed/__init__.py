"""Seconds and memory: of an ask, and of the maximisation in it."""
