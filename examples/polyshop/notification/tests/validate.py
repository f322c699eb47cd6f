"""Validates messages against their contracts: reads lines {"contract": …, "message": …}, prints errors, and exits with 1 if there are any."""
import json
import sys

from tests import support

if __name__ == "__main__":
    contracts = support.Contracts()
    wrong = 0
    for line in sys.stdin:
        entry = json.loads(line)
        errors = contracts.errors(entry["contract"], entry["message"])
        if errors:
            wrong += 1
            print(entry["contract"], errors, entry["message"])
    sys.exit(1 if wrong else 0)
