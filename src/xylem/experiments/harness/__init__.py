"""The harness: what an experiment is, how it runs, what it measured, and what was published."""
