"""`python -m phasegate`."""

from phasegate.cli import main

if __name__ == "__main__":
    main()
