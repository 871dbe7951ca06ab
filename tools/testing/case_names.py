"""Which programs may have cases that a GoogleTest filter selects, from their sources: so that only
those have to be built."""

import re
from functools import lru_cache

_CASE = re.compile(
    r"^[ \t]*(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+)\s*\)",
    re.MULTILINE)


def names_in(text):
    """Names of the cases that C++ text defines, with what is known only when they run as
    # and *: any text, that of # without a dot."""
    for macro, suite, case in _CASE.findall(text):
        if macro in ("TEST", "TEST_F"):
            yield f"{suite}.{case}"
        elif macro == "TEST_P":
            yield f"#{suite}.{case}/*"
        else:
            yield f"#{suite}/#.{case}"


@lru_cache(maxsize=None)
def overlap(a, b):
    """Whether a text matches both patterns, in which ? is one letter, * any text, and # any
    without a dot."""
    if not a or not b:
        return not (a + b).strip("*#")
    if a[0] in "*#":
        takes_letter = a[0] == "*" or b[0] != "."
        return overlap(a[1:], b) or (takes_letter and overlap(a, b[1:]))
    if b[0] in "*#":
        return overlap(b, a)
    return (a[0] == b[0] or "?" in (a[0], b[0])) and overlap(a[1:], b[1:])


def may_select(case_filter, name):
    wanted = case_filter.split("-")[0] or "*"
    return any(overlap(pattern, name) for pattern in wanted.split(":"))


def may_have_cases(program, case_filter):
    texts = (source.read_text(encoding="utf-8") for source in program.sources)
    return any(may_select(case_filter, name) for text in texts for name in names_in(text))
