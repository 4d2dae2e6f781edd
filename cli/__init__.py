"""The command line."""

# Also in pyproject.toml (a test compares): reading it from the installed package takes longer than all the rest.
VERSION = "0.1.0"
