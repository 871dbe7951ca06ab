"""The files to check, and what a check finds in them."""

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


def list_sources(root):
    """C and C++ files that git tracks or would track, as paths relative to the root, sorted."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        cwd=root, check=True, capture_output=True, text=True).stdout
    paths = (PurePosixPath(name) for name in listing.split("\0") if name)
    return sorted(path for path in paths
                  if path.suffix in SOURCE_SUFFIXES and (root / path).is_file())
