"""Experiments that can be repeated: workload, run, table."""
