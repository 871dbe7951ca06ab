"""Finds test cases by name. For tools/test.

usage: cases.py candidates BUILD FILTER   programs whose sources may define such cases
       cases.py tests BUILD FILTER        ctest tests of the built candidates that have such cases
       cases.py list BUILD CTEST...       all cases of the tests that this ctest command would run

FILTER is GoogleTest's. Exit code 2 if there is no such case."""

import json
import subprocess
import sys
from pathlib import Path

from case_names import may_have_cases
from programs import list_cases, read_programs


def candidates(build, case_filter):
    return [program for program in read_programs(build) if may_have_cases(program, case_filter)]


def candidate_names(build, case_filter):
    return [program.name for program in candidates(build, case_filter)]


def tests_with(build, case_filter):
    return [test for program in candidates(build, case_filter)
            if list_cases(build, program, case_filter) for test in program.tests]


def all_cases(build, *ctest):
    """A ctest test that is no GoogleTest program is one case."""
    shown = subprocess.run([*ctest, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE,
                           text=True)
    # After what a preset has ctest say of its environment.
    described = json.loads(shown.stdout[shown.stdout.index("{"):])
    tests = {test["name"] for test in described["tests"]}
    cases = []
    for program in read_programs(build):
        if tests.intersection(program.tests):
            cases += list_cases(build, program)
        tests.difference_update(program.tests)
    return sorted([*cases, *tests])


ACTIONS = {"candidates": candidate_names, "tests": tests_with, "list": all_cases}


def main():
    action, build, *rest = sys.argv[1:]
    names = ACTIONS[action](Path(build), *rest)
    if not names:
        print(f"test: no case matches {' '.join(rest)}", file=sys.stderr)
        return 2
    print("\n".join(names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
