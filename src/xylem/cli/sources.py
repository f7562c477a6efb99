"""The documents that a command line names, in its order, with `-` for standard input."""
