"""Other people's frameworks: each module serves one of them and is imported by name."""
