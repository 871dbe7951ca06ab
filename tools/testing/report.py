"""Says what came of the test cases of a run of ctest.

usage: report.py BUILD

Reads test-results/ of the build folder: ctest's own JUnit file, ctest.xml, and the file of each
GoogleTest program. Exit code 1 if a program left none, whatever it told ctest."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from programs import read_programs

# What a test that is a CMake script prints.
_SCRIPT_REASON = re.compile(r"^-- skipped: (.*)$", re.MULTILINE)
_SLOWEST = 10


@dataclass(frozen=True)
class Case:
    name: str
    outcome: str  # passed, skipped or failed
    reason: str = ""  # of a skip


@dataclass
class Run:
    cases: list = field(default_factory=list)
    programs: set = field(default_factory=set)  # that ran a case
    lost: list = field(default_factory=list)  # ctest tests without a result file
    failed_outside: list = field(default_factory=list)  # ctest tests that failed, and no case did
    seconds: dict = field(default_factory=dict)  # of each ctest test

    def with_outcome(self, outcome):
        return [case for case in self.cases if case.outcome == outcome]


def read_program_cases(path):
    """The cases of a GoogleTest result file."""
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            if case.get("status") != "run":
                continue
            name = f"{suite.get('name')}.{case.get('name')}"
            if case.find("failure") is not None:
                yield Case(name, "failed")
            elif case.get("result") == "skipped":
                yield Case(name, "skipped", skip_reason(case))
            else:
                yield Case(name, "passed")


def skip_reason(case):
    # "<file>:<line>", then what GTEST_SKIP() gave.
    message = case.find("skipped")
    lines = "" if message is None else message.get("message", "")
    return " ".join(lines.partition("\n")[2].split()) or "no reason given"


def read_script_case(test):
    """A ctest test that is no GoogleTest program is one case."""
    skipped = test.find("skipped")
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        match = _SCRIPT_REASON.search(test.findtext("system-out") or "")
        return Case(test.get("name"), "skipped", match.group(1) if match else "no reason given")
    return Case(test.get("name"), "passed" if test.get("status") == "run" else "failed")


def read_run(build):
    results = build / "test-results"
    program_of = {test: program.name for program in read_programs(build) for test in program.tests}
    run = Run()
    for test in ElementTree.parse(results / "ctest.xml").getroot().iter("testcase"):
        name = test.get("name")
        if test.get("status") == "disabled":
            continue
        run.seconds[name] = float(test.get("time"))
        path = results / f"{name}.xml"
        if name not in program_of:
            cases = [read_script_case(test)]
        elif path.exists():
            cases = list(read_program_cases(path))
        else:
            run.lost.append(name)
            continue
        run.cases += cases
        if cases:
            run.programs.add(program_of.get(name, name))
        if test.get("status") == "fail" and not any(case.outcome == "failed" for case in cases):
            run.failed_outside.append(name)
    return run


def count(things, noun):
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def describe(run):
    skipped, failed = run.with_outcome("skipped"), run.with_outcome("failed")
    yield f"Skipped: {len(skipped)}"
    reasons = defaultdict(list)
    for case in skipped:
        reasons[case.reason].append(case.name)
    for reason, names in sorted(reasons.items()):
        yield f"  {reason}: {', '.join(names)}"
    if failed:
        yield f"Failed: {', '.join(case.name for case in failed)}"
    if run.failed_outside:
        yield f"Failed, though no case of it did: {', '.join(run.failed_outside)}"
    if run.lost:
        yield f"Ended without a result, as after a crash: {', '.join(run.lost)}"
    slowest = sorted(run.seconds.items(), key=lambda item: -item[1])[:_SLOWEST]
    yield "Slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest)
    passed = len(run.cases) - len(skipped) - len(failed)
    yield (f"{count(run.cases, 'case')} in {count(run.programs, 'program')}: "
           f"{passed} passed, {len(skipped)} skipped, {len(failed)} failed")


def main():
    run = read_run(Path(sys.argv[1]))
    print()
    for line in describe(run):
        print(line)
    return 1 if run.lost else 0


if __name__ == "__main__":
    sys.exit(main())
