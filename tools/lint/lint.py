"""Checks of the repository that compilers do not make. `tools/lint/run --help`."""

import argparse
import sys
from pathlib import Path

import budgets_page
import comments
import headers
import layering
import mirrored_tests
import op_families
import pages
import settings_page
import shell
import sizes
from source_files import list_sources

CHECKS = {
    "layering": layering.check,
    "sizes": sizes.check,
    "tests": mirrored_tests.check,
    "families": op_families.check,
    "headers": headers.check,
    "comments": comments.check,
    "shell": shell.check,
    "pages": pages.check,
    "settings": settings_page.check,
    "budgets": budgets_page.check,
}


def main():
    parser = argparse.ArgumentParser(prog="tools/lint/run", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK",
                        help=f"one of {', '.join(CHECKS)}; without any, all")
    names = parser.parse_args().checks or list(CHECKS)
    for name in names:
        if name not in CHECKS:
            parser.error(f"no check '{name}'; there are {', '.join(CHECKS)}")

    root = Path.cwd()
    sources = list_sources(root)
    findings = [finding for name in names for finding in CHECKS[name](root, sources)]
    for finding in findings:
        print(finding)
    errors = sum(not finding.is_warning for finding in findings)
    print(f"lint: {len(sources)} files, {errors} errors, {len(findings) - errors} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
