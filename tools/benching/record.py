"""Runs a benchmark, and keeps its figures with machine, date and load for the page of budgets.

usage: record.py PROGRAM NAME [OPTION...]

Run by tools/bench --record. The figures lie in tests/bench/recorded/NAME.json; the page shows them."""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def record_of(result, load, date):
    """What is kept: rows without their operators, which a page of --html has."""
    rows = [{key: row[key] for key in ("name", "value", "unit", "better", "budget", "met", "peer",
                                       "peer_value")} for row in result["rows"]]
    return {"bench": result["bench"], "date": date, "machine": result["machine"], "load": load,
            "rows": rows}


def main(arguments, root=ROOT):
    program, name, *options = arguments
    load = os.getloadavg()[0]
    done = subprocess.run([program, "--json", *options], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"tools/bench: {program} failed with exit code {done.returncode}", file=sys.stderr)
        return 3
    record = record_of(json.loads(done.stdout), load, datetime.date.today().isoformat())
    path = root / "tests/bench/recorded" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    subprocess.run([sys.executable, "-B", str(ROOT / "tools/lint/budgets_page.py"), str(root)], check=True)
    print(f"{len(record['rows'])} rows of {name} in {path}, and in tests/bench/README.md")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
