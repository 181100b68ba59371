"""What a comparison is made of: pairs and their differences, verdicts, and what would turn them around."""
