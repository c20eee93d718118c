"""The command line: what a person types, passed on to the other packages."""
