"""A share of the ctest tests of a configured build folder, and what has to be built for it. For
tools/test.

usage: share.py K/N BUILD    prints a line of targets and a line of tests

Of the tests that run an executable, in the order of their names, each N-th from the K-th on is in
share K (1 to N): neighbours, which test alike, are in different shares. Tests without an executable
are quick, and in every share. Exit code 2 if K/N is none."""

import re
import sys
from pathlib import Path

_TEST = re.compile(r'^add_test\((?:\[=*\[)?(.+?)(?:\]=*\])? "([^"]*)"', re.MULTILINE)
_SUBDIRS = re.compile(r'^subdirs\("([^"]*)"\)', re.MULTILINE)


def tests_in(text):
    """Names and commands of the tests that a CTestTestfile.cmake adds."""
    return _TEST.findall(text)


def read_tests(build):
    """What ctest would run: files of folders that have gone may lie there still."""
    text = (build / "CTestTestfile.cmake").read_text(encoding="utf-8")
    return tests_in(text) + [test for folder in _SUBDIRS.findall(text)
                             for test in read_tests(build / folder)]


def parse_share(text):
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    number, count = (int(group) for group in match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise ValueError(f"'{text}' is no share: K/N, with K from 1 to N, such as 2/3")
    return number, count


def choose(tests, folder, share):
    """Targets and tests of the share; `folder` is where executables are built."""
    number, count = share
    executables = {name: Path(command).name for name, command in tests
                   if Path(command).parent == folder}
    chosen = sorted(executables)[number - 1::count]
    others = [name for name, _ in tests if name not in executables]
    return sorted({executables[name] for name in chosen}), chosen + others


def main():
    try:
        share = parse_share(sys.argv[1])
    except ValueError as error:
        print(f"test: {error}", file=sys.stderr)
        return 2
    build = Path(sys.argv[2]).resolve()
    for names in choose(read_tests(build), build / "bin", share):
        print(" ".join(names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
