"""The version of both packages, which are released together."""

__version__ = "0.1.0"
