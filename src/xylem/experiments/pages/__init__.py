"""What people see of experiments: figures, a page for each, and one page for all."""
