"""What a report holds: rows with intervals, findings, and the settings that made them."""

from softtruth.report.comparison import ComparisonReport
from softtruth.report.difference import Difference
from softtruth.report.parts import Finding, FindingWarning, Row, View
from softtruth.report.report import SCHEMA_VERSION, Report

__all__ = ["SCHEMA_VERSION", "ComparisonReport", "Difference", "Finding", "FindingWarning", "Report", "Row", "View"]
