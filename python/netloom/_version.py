"""The version of this package, which is that of its binary."""

__version__ = "0.1.0"
