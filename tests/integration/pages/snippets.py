"""Makes one source file of the C++ that pages show: a test for each snippet.

usage: snippets.py OUTPUT ROOT PAGE...     pages as paths below ROOT

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


def name_of(page):
    """"FrameworkCore" of "framework/core/README.md"; "Front" of the first page."""
    folders = pathlib.PurePosixPath(page).parent.parts
    return "".join(word.capitalize() for folder in folders for word in folder.split("_")) or "Front"


def functions_of(page, text):
    """The includes of a page, and the lines of each function that its snippets make."""
    includes = []
    functions = []
    for line, body, continues in snippets(text):
        includes += [text for text in body if text.startswith("#include")]
        code = [f'#line {line} "{page}"'] + ["" if text.startswith("#include") else text for text in body]
        if continues:
            functions[-1] += code
        else:
            functions.append([f"TEST_F(Pages, {name_of(page)}{len(functions) + 1}) {{"] + code)
    return includes, functions


def source_of(root, pages):
    includes = set()
    functions = []
    for page in pages:
        more_includes, more_functions = functions_of(page, (root / page).read_text(encoding="utf-8"))
        includes.update(more_includes)
        functions += more_functions
    if not functions:
        raise SystemExit(f"{root}: error: no page has a cpp block; has the way that they mark them changed?")
    parts = ['#include "tests/integration/pages/context.h"', *sorted(includes), ""]
    for function in functions:
        parts += [*function, "}", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    output, root, *pages = sys.argv[1:]
    source = source_of(pathlib.Path(root), pages)
    path = pathlib.Path(output)
    if not path.exists() or path.read_text(encoding="utf-8") != source:  # else it is not compiled again
        path.write_text(source, encoding="utf-8")
