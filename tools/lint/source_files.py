"""The files to check, and what a check finds in them."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath

SOURCE_SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cu", ".cuh"}


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str
    is_warning: bool = False

    def __str__(self):
        return f"{self.path}:{self.line}: {'warning' if self.is_warning else 'error'}: {self.message}"


# Inputs of tests, which nobody runs.
_CORPUS = PurePosixPath("tests/fuzz/corpus")
_SHELL = re.compile(rb"#!.*\b(ba|da|)sh\b")


def list_files(root):
    """Files that git tracks or would track, as paths relative to the root, sorted."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        cwd=root, check=True, capture_output=True, text=True).stdout
    paths = (PurePosixPath(name) for name in listing.split("\0") if name)
    return sorted(path for path in paths if (root / path).is_file())


def list_sources(root):
    """Those in C and C++."""
    return [path for path in list_files(root) if path.suffix in SOURCE_SUFFIXES]


def list_scripts(root):
    """Those that a shell runs, by their first line."""
    return [path for path in list_files(root)
            if _CORPUS not in path.parents and _SHELL.match(first_line(root / path))]


def first_line(path):
    with path.open("rb") as file:
        return file.readline(200)
