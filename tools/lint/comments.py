"""Comments that lean on the line before: they begin with a word that needs one."""

import re

from source_files import Finding

# Beginnings of that kind; a subject belongs there.
_LEANING = re.compile(r"\s*//+\s*(?P<word>What|Of|Whether|As|By|The same)\b")
_COMMENT = re.compile(r"\s*//")


def leaning_lines(text):
    """Yields line and word of each block of comments that begins so."""
    before_is_comment = False
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LEANING.match(line)
        if match and not before_is_comment:
            yield number, match.group("word")
        before_is_comment = _COMMENT.match(line) is not None


def check(root, sources):
    for path in sources:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        for number, word in leaning_lines(text):
            yield Finding(str(path), number, f"the comment begins with {word} and leans on the line "
                                             "before: give it a subject and a verb")
