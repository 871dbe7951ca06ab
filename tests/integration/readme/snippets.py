"""Makes one source file of the C++ that a README shows: a test for each snippet.

usage: snippets.py README OUTPUT

A snippet is a fenced block of cpp, the body of a function; its includes go to the top of the file. With
the comment `<!-- continues -->` on a line before it, it goes on where the one before ended.
"""

import pathlib
import sys


def snippets(text):
    """(line, lines, whether it continues the one before) of each block."""
    found = []
    continues = False
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if line.strip() == "<!-- continues -->":
            continues = True
        elif line.startswith("```"):
            body = []
            for _, inner in lines:
                if inner.startswith("```"):
                    break
                body.append(inner)
            if line == "```cpp":
                found.append((number + 1, body, continues))
            continues = False
        elif line.strip():
            continues = False
    return found


def source_of(readme):
    includes = []
    functions = []
    for line, body, continues in snippets(readme.read_text(encoding="utf-8")):
        includes += [text for text in body if text.startswith("#include")]
        code = [f'#line {line} "{readme.name}"'] + ["" if text.startswith("#include") else text for text in body]
        if continues:
            functions[-1] += code
        else:
            functions.append([f"TEST_F(Readme, Snippet{len(functions) + 1}) {{"] + code)
    if not functions:
        raise SystemExit(f"{readme}: error: has no cpp blocks; has the way that it marks them changed?")
    parts = ['#include "tests/integration/readme/context.h"', *sorted(set(includes)), ""]
    for function in functions:
        parts += [*function, "}", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    source = source_of(pathlib.Path(sys.argv[1]))
    output = pathlib.Path(sys.argv[2])
    if not output.exists() or output.read_text(encoding="utf-8") != source:  # else it is not compiled again
        output.write_text(source, encoding="utf-8")
