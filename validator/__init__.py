"""Is a submission well-formed? Archive safety, CSV rules and JSON Schemas; no metric in here."""
