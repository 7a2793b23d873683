"""Rankings: statistics, tables and pages."""
