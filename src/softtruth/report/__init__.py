"""What a report holds: rows with intervals, findings, and the settings that made them."""

from softtruth.report.report import SCHEMA_VERSION, Finding, Report, Row, View

__all__ = ["SCHEMA_VERSION", "Finding", "Report", "Row", "View"]
