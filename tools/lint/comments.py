"""Comments that lean on the line before: they begin with a word that needs one."""

import re
from collections import Counter

from source_files import Finding

# What such a comment begins with, where a subject belongs.
_LEANING = re.compile(r"\s*//+\s*(?P<word>What|Of|Whether|As|By|The same)\b")
_COMMENT = re.compile(r"\s*//")
# How many a folder still has: it may have no more, and the list says so once it has fewer.
_LIST = "tools/lint/leaning_comments.txt"


def leaning_lines(text):
    """Yields line and word of each block of comments that begins so."""
    before_is_comment = False
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LEANING.match(line)
        if match and not before_is_comment:
            yield number, match.group("word")
        before_is_comment = _COMMENT.match(line) is not None


def folder_of(path):
    return "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]


def parse_list(text):
    """Counts by folder, and the lines where they stand."""
    counts = {}
    lines = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        count, folder = line.split()
        counts[folder] = int(count)
        lines[folder] = number
    return counts, lines


def compare(found, allowed, lines):
    """Yields what is wrong with the list."""
    for folder in sorted(found.keys() | allowed.keys()):
        have, may = found.get(folder, 0), allowed.get(folder, 0)
        if have > may:
            yield Finding(_LIST, lines.get(folder, 1),
                          f"{folder} has {have} comments that begin with What, Of, Whether, As, By or "
                          f"The same, and may have {may}: give the new ones, which git diff shows, a "
                          "subject and a verb")
        elif have < may:
            yield Finding(_LIST, lines[folder],
                          f"{folder} has {have} comments left that lean on the line before, write "
                          f"that instead of {may}")


def check(root, sources):
    found = Counter()
    for path in sources:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        found[folder_of(path)] += sum(1 for _ in leaning_lines(text))
    found = Counter({folder: count for folder, count in found.items() if count})
    yield from compare(found, *parse_list((root / _LIST).read_text(encoding="utf-8")))
