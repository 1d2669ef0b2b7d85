"""Shares plans between workers through any storage (docs/protocol.md has the protocol).

This is the only package that writes trial attributes, and that reads the records it wrote.
"""
