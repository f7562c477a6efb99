"""The experiments, one module each: `EXPERIMENT` says all there is to say."""
