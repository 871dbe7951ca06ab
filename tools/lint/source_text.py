"""C++ text without what would mislead a reader of its braces."""

import re

_NOISE = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE)


def strip_noise(text):
    """Blanks comments, literals and preprocessor lines; line numbers stay as they are."""
    return _NOISE.sub(lambda match: " " + "\n" * match.group().count("\n"), text)
