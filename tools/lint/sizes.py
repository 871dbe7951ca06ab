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
_NAME = re.compile(r"([\w:~]+|operator\s*\S+)\s*\(")


def function_lengths(text):
    """Yields (line, name, length in lines) of each function; a lambda counts into its function."""
    text = strip_noise(text)
    depth_in_function = 0
    head_start = 0
    for match in re.finditer(r"[{};]", text):
        mark, position = match.group(), match.start()
        if depth_in_function:
            depth_in_function += {"{": 1, "}": -1}.get(mark, 0)
            if depth_in_function == 0:
                first = text.count("\n", 0, start) + 1
                yield first, name, text.count("\n", start, position) + 1
        elif mark == "{":
            head = text[head_start:position]
            if is_function_head(head):
                depth_in_function = 1
                start = head_start + len(head) - len(head.lstrip())
                name = function_name(head)
        head_start = position + 1


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
