"""File and function length."""

import re

from source_files import Finding
from source_text import strip_noise

FILE_LONG = 400
FILE_LIMIT = 800
FUNCTION_LONG = 40
FUNCTION_LIMIT = 80

_ATTRIBUTE = re.compile(r"\b(?:alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)|\[\[.*?\]\]")
_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b")
_MEMBER = re.compile(
    r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]\s*(?<!\bconst)(?<!\bnoexcept)(?<!\btry)$", re.DOTALL)
_NAME = re.compile(r"([\w:~]+|operator\s*\S+)\s*\(")


def function_lengths(text):
    """Yields (line, name, length in lines) of each function; a lambda counts into its function."""
    text = strip_noise(text)
    depth = 0  # of the braces of a function or of an initialiser in its head
    in_function = False
    head_start = 0
    for match in re.finditer(r"[{};]", text):
        mark, position = match.group(), match.start()
        head = text[head_start:position]
        if depth:
            depth += {"{": 1, "}": -1}.get(mark, 0)
            if depth or not in_function:
                continue
            yield text.count("\n", 0, start) + 1, name, text.count("\n", start, position) + 1
        elif mark == "{" and is_initialiser(head):
            depth, in_function = 1, False
            continue
        elif mark == "{" and is_function_head(head):
            depth, in_function = 1, True
            start = head_start + len(head) - len(head.lstrip())
            name = function_name(head)
        head_start = position + 1


def is_initialiser(head):
    """Whether a brace after this text is a default argument or a member's initialiser."""
    return head.count("(") > head.count(")") or bool(_MEMBER.search(head))


def is_function_head(head):
    """Whether the text before a brace at namespace or class level opens a function body."""
    head = _ATTRIBUTE.sub("", head)
    parenthesis = head.find("(")
    if parenthesis < 0:
        return False
    scope = _SCOPE.search(re.sub(r"\btemplate\s*<[^()]*?>", "", head[:parenthesis]))
    return not (scope and scope.group() == "namespace")


def function_name(head):
    match = _NAME.search(_ATTRIBUTE.sub("", head))
    return match.group(1) if match else "?"


def _rate(path, line, what, length, long, limit):
    if length > limit:
        yield Finding(str(path), line, f"{what} has {length} lines; the limit is {limit}")
    elif length > long:
        yield Finding(str(path), line, f"{what} has {length} lines; {long} is long", True)


def check(root, sources):
    for path in sources:
        text = (root / path).read_text(encoding="utf-8")
        yield from _rate(path, 1, "the file", text.count("\n"), FILE_LONG, FILE_LIMIT)
        for line, name, length in function_lengths(text):
            yield from _rate(path, line, f"{name}()", length, FUNCTION_LONG, FUNCTION_LIMIT)
