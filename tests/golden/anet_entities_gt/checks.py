"""The golden cases are of the validation split."""

SETTINGS = {"splits": ["validation"]}
