"""Bad submissions made by code, and a runner that puts them before the built programs and the validator."""
