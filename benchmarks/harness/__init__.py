"""What all benchmarks share: samplers by name, resumable runs, records, summaries and tables."""
