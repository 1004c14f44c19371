"""``python -m cranfield`` is the command ``cranfield``."""

from cranfield.cli import main

if __name__ == "__main__":
    main(prog_name="cranfield")
