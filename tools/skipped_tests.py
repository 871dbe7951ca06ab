#!/usr/bin/env python3
"""Prints the skipped tests of a JUnit file by ctest, grouped by the reason that GTEST_SKIP() gave, or
the line "-- skipped: <reason>" of a test that is a CMake script."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

# "<file>:<line>: Skipped", then the reason up to the line that ends the test.
_REASON = re.compile(r": Skipped\n(.*?)\n+\[  SKIPPED \]", re.DOTALL)
_SCRIPT_REASON = re.compile(r"^-- skipped: (.*)$", re.MULTILINE)


def skip_reason(output):
    match = _REASON.search(output) or _SCRIPT_REASON.search(output)
    return " ".join(match.group(1).split()) if match else "no reason given"


def skipped_by_reason(path):
    reasons = defaultdict(list)
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("skipped") is not None:
            reasons[skip_reason(case.findtext("system-out") or "")].append(case.get("name"))
    return reasons


def main():
    reasons = skipped_by_reason(sys.argv[1])
    print(f"\nSkipped: {sum(map(len, reasons.values()))}")
    for reason, names in sorted(reasons.items()):
        print(f"  {reason}: {', '.join(names)}")


if __name__ == "__main__":
    main()
