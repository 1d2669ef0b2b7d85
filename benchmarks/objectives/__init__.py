"""Hypervolume that samplers reach on problems with several objectives."""
