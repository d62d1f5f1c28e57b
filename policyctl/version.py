"""The version of policyctl, readable without importing anything."""

__version__ = "0.1.0"
