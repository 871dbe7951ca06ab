"""The GoogleTest programs of a build folder, as tools/cmake/LociTest.cmake noted them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Program:
    name: str
    tests: tuple  # of ctest: itself, or its shards
    sources: tuple


def read_programs(build):
    programs = []
    for line in (build / "test-programs.txt").read_text(encoding="utf-8").splitlines():
        name, tests, sources = line.split("\t")
        programs.append(Program(name, tuple(tests.split(";")),
                                tuple(Path(source) for source in sources.split(";"))))
    return programs


def list_cases(build, program, case_filter="*"):
    """Full names of the cases of a built program that the filter selects."""
    run = subprocess.run(
        [build / "bin" / program.name, "--gtest_list_tests", f"--gtest_filter={case_filter}"],
        check=True, capture_output=True, text=True)
    return parse_list(run.stdout)


def parse_list(text):
    """Of --gtest_list_tests: a line "Suite.", and "  Case" below it; comments follow "  # "."""
    suite, cases = "", []
    for line in text.splitlines():
        name = line.split("  # ")[0]
        if line.startswith("  "):
            cases.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return cases
