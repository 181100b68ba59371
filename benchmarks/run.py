"""Measure the workloads and print a Markdown table: see README.md beside this file."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

import numpy as np
from harness import measure

HERE = Path(__file__).parent


def main() -> None:
    """Run the workloads that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="workloads to run, by the start of their name; all by default")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", action="store_true", help="time what a user would pick instead, where installed")
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores, {options.rounds} rounds\n"
    )
    print("| id | workload | x limit: median (quartiles) | ceiling | limit | run | memory | peers |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for file in sorted(HERE.glob("*.py")):
        module = importlib.import_module(file.stem) if file.stem not in {"run", "harness"} else None
        for workload in module.workloads() if module else ():
            if not options.names or workload.name.startswith(tuple(options.names)):
                print(measure(workload, options.rounds, peers=options.peers))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
