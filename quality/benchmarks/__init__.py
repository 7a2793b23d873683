"""What ``make bench`` measures, on data of the real challenges' size; BENCHMARKS.md keeps the numbers."""
