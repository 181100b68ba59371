"""A report as text, JSON or HTML: functions of the dictionary that ``Report.to_dict`` gives, and of nothing else."""
