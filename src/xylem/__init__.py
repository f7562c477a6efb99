"""Xylem: each XML document to everyone who asked for it."""
