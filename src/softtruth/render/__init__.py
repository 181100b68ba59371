"""A report as text, Markdown, JSON or HTML: functions of what ``Report.to_dict`` gives, and of nothing else."""
