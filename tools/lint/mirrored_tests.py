"""framework/<folder>/<stem>.cc has its unit tests in tests/framework/<folder>/<stem>_test.cc."""

from pathlib import PurePosixPath

from source_files import Finding

EXCEPTIONS = "tools/lint/untested.txt"


def read_exceptions(text):
    """Path -> line number. A line is "path: reason"; empty lines and # comments are skipped."""
    exceptions = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        path, _, reason = line.partition(": ")
        if not reason.strip():
            raise ValueError(f"{EXCEPTIONS}:{number}: needs a reason after ': '")
        exceptions[path] = number
    return exceptions


def test_of(path):
    return PurePosixPath("tests") / path.parent / f"{path.stem}_test.cc"


def check(root, sources):
    exceptions = read_exceptions((root / EXCEPTIONS).read_text(encoding="utf-8"))
    present = set(sources)
    for path in sources:
        if path.parts[0] != "framework" or path.suffix != ".cc":
            continue
        tested = test_of(path) in present
        listed = exceptions.pop(str(path), None)
        if not tested and listed is None:
            yield Finding(str(path), 1, f"has no {test_of(path)}; or say why not in {EXCEPTIONS}")
        if tested and listed is not None:
            yield Finding(EXCEPTIONS, listed, f"{path} has a test")
    for path, line in exceptions.items():
        yield Finding(EXCEPTIONS, line, f"{path} does not exist")
