"""Run the command with `python -m softtruth`."""

from softtruth.cli import main

if __name__ == "__main__":
    main()
