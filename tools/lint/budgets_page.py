"""The recorded figures on the benchmarks' page, made of the JSON files that `tools/bench --record` writes.

usage: budgets_page.py ROOT     writes the part of tests/bench/README.md between its two comments anew
"""

import json
import sys
from pathlib import Path

from source_files import Finding

PAGE = "tests/bench/README.md"
RECORDS = "tests/bench/recorded"
BEGIN = "<!-- recorded: made by tools/bench --record -->\n"
END = "<!-- end of recorded -->\n"
NOTHING = "Nothing is recorded yet.\n"


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def budget_of(row):
    if row["budget"] is None:
        return ""
    return f"{'<=' if row['better'] == 'less' else '>='} {number(row['budget'])} {row['unit']}".rstrip()


def measured(row):
    text = f"{number(row['value'])} {row['unit']}".rstrip()
    return f"**{text}: missed**" if row["met"] is False else text


def peer_of(row):
    if row["peer_value"] is None:
        return ""
    return f"{row['peer']}: {number(row['peer_value'])} {row['unit']}".rstrip()


def lines_of(record):
    yield (f"`tools/bench {record['bench']}`, {record['date']}, {record['machine']}, "
           f"load {record['load']:.1f} before it began:\n")
    yield "| what | budget | measured | peer in the same run |"
    yield "| --- | --- | --- | --- |"
    for row in record["rows"]:
        name = row["name"].replace("|", "\\|")
        yield f"| {name} | {budget_of(row)} | {measured(row)} | {peer_of(row)} |"


def section(root):
    records = [json.loads(path.read_text(encoding="utf-8"))
               for path in sorted((root / RECORDS).glob("*.json"))]
    return "\n".join("\n".join(lines_of(record)) + "\n" for record in records) or NOTHING


def page(root):
    """The page as it has to be."""
    before, begin, rest = (root / PAGE).read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE}: error: lacks the comments around what was recorded")
    return f"{before}{BEGIN}\n{section(root)}\n{END}{after}"


def check(root, _sources):
    if page(root) != (root / PAGE).read_text(encoding="utf-8"):
        yield Finding(PAGE, 1, f"differs from {RECORDS}; run python3 -B tools/lint/budgets_page.py .")


def main(root):
    text = page(root)
    (root / PAGE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
