"""Two builds of one benchmark run in turns, and their rows side by side.

usage: against.py OURS THEIRS COMMIT [--rounds N] [--fail-above PCT] [--json] [OPTION...]

Run by tools/bench --against. Turns alternate, so that what the machine does meanwhile meets both
builds alike. The exit code is 1 if a row got slower by more than PCT percent."""

import argparse
import json
import statistics
import subprocess
import sys


def at_least(least, kind):
    def parse(text):
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return value
    return parse


def rows_of(command):
    done = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed with exit code {done.returncode}")
    return {row["name"]: row for row in json.loads(done.stdout)["rows"]}


def run_in_turns(ours, theirs, rounds):
    turns = ([], [])
    for _ in range(rounds):
        for results, command in zip(turns, (ours, theirs)):
            results.append(rows_of(command))
    return turns


def medians(results):
    """Of each row its last form, with the median of its values."""
    values, rows = {}, {}
    for result in results:
        for name, row in result.items():
            values.setdefault(name, []).append(row["value"])
            rows[name] = row
    return {name: dict(row, value=statistics.median(values[name])) for name, row in rows.items()}


def slowdown(row, before):
    """How many times as slow as before; below 1 is faster. None where one of them is no measure."""
    new, old = row["value"], before["value"]
    if row["better"] == "more":
        new, old = old, new
    if new == old:
        return 1.0
    return new / old if old > 0 and new >= 0 else None


def compare(ours, theirs, fail_above):
    compared = []
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        row, before = ours.get(name), theirs.get(name)
        ratio = slowdown(row, before) if row and before else None
        compared.append({"name": name, "unit": (row or before)["unit"],
                         "value": row and row["value"], "before": before and before["value"],
                         "slowdown": ratio,
                         "failed": ratio is not None and ratio > 1 + fail_above / 100})
    return compared


def line_of(row, commit):
    text = f"  {row['name']:44}"
    if row["before"] is None:
        return f"{text} {row['value']:10.2f} {row['unit']:6}  not in {commit}"
    if row["value"] is None:
        return f"{text} {row['before']:10.2f} {row['unit']:6}  only in {commit}"
    text += f" {row['before']:10.2f} -> {row['value']:10.2f} {row['unit']:6}"
    if row["slowdown"] is None:
        return f"{text}  no ratio"
    return f"{text}  {row['slowdown']:.3f} times as slow{': SLOWER' if row['failed'] else ''}"


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tools/bench --against", add_help=False,
                                     allow_abbrev=False)
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("commit")
    parser.add_argument("--rounds", type=at_least(3, int), default=3)
    parser.add_argument("--fail-above", type=at_least(0, float), default=10.0)
    parser.add_argument("--json", action="store_true")
    return parser.parse_known_args(arguments)


def main(arguments):
    options, rest = parse(arguments)
    turns = run_in_turns([options.ours, *rest], [options.theirs, *rest], options.rounds)
    compared = compare(*map(medians, turns), options.fail_above)
    if options.json:
        print(json.dumps({"against": options.commit, "rows": compared}, indent=2))
    else:
        print(f"medians of {options.rounds} rounds, {options.commit} -> this tree")
        for row in compared:
            print(line_of(row, options.commit))
    return 1 if any(row["failed"] for row in compared) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RuntimeError as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
