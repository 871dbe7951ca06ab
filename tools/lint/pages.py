"""Pages (*.md): links lead to a file and a heading, the list of pages has all, the front page is short.

usage: pages.py DIRECTORY     checks the links of all pages below it, such as those of an installed copy
"""

import re
import sys
from pathlib import Path, PurePosixPath

from source_files import Finding, list_files

LIST = "tools/cmake/LociPages.cmake"
FRONT_PAGE = "README.md"
FRONT_PAGE_LIMIT = 150
_SET = re.compile(r"^set\(LOCI_PAGES\s+([^)]*)\)", re.MULTILINE)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]*)\)")
_CODE = re.compile(r"`[^`\n]*`")
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")


def prose_lines(text):
    """Yields number and text of each line outside of fenced and indented blocks."""
    fence = None
    for number, line in enumerate(text.splitlines(), start=1):
        mark = line.lstrip()[:3]
        if fence:
            fence = None if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        elif not line.startswith("    "):
            yield number, line


def anchor_of(heading):
    """As GitHub makes it of a heading's text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(text):
    found = {}
    for _, line in prose_lines(text):
        heading = _HEADING.match(line)
        if heading:
            anchor = anchor_of(heading[1])
            found[anchor] = found.get(anchor, -1) + 1
    return {name if count == 0 else f"{name}-{count}"
            for name, most in found.items() for count in range(most + 1)}


def links_of(text):
    """Yields line and target of each link that does not leave the repository; its text may wrap."""
    lines = [""] * (text.count("\n") + 1)
    for number, line in prose_lines(text):
        lines[number - 1] = _CODE.sub("", line)
    prose = "\n".join(lines)
    for link in _LINK.finditer(prose):
        if not _ELSEWHERE.match(link[1]):
            yield prose.count("\n", 0, link.start(1)) + 1, link[1]


def is_installed(path):
    """Whether share/doc/loci has it (sdk/CMakeLists.txt)."""
    return path.suffix == ".md" or path.name == "LICENSE" or path.parts[:1] == ("examples",)


def refusal(root, page, target):
    """Why a link of the page leads nowhere, or None."""
    name, _, anchor = target.partition("#")
    path = (root / page.parent / name if name else root / page).resolve()
    if not path.exists():
        return f"the link '{target}' leads to no file"
    if not path.is_relative_to(root.resolve()) or not is_installed(path.relative_to(root.resolve())):
        return f"the link '{target}' leads to what an installation does not have; quote its path instead"
    if anchor and path.suffix == ".md" and anchor not in anchors_of(path.read_text(encoding="utf-8")):
        return f"the link '{target}' leads to no heading of {name or page}"
    return None


def check_links(root, pages):
    for page in pages:
        for line, target in links_of((root / page).read_text(encoding="utf-8")):
            reason = refusal(root, page, target)
            if reason:
                yield Finding(str(page), line, reason)


def listed_pages(text):
    return _SET.search(text)[1].split()


def check_list(root, pages):
    listed = listed_pages((root / LIST).read_text(encoding="utf-8"))
    if listed != sorted(set(listed)):
        yield Finding(LIST, 1, "LOCI_PAGES is not sorted")
    for page in sorted(set(map(str, pages)).symmetric_difference(listed)):
        yield Finding(LIST, 1, f"{page} does not exist" if page in listed
                      else f"{page} is not listed: it is not installed, and its snippets do not compile")


def check_front_page(root):
    lines = (root / FRONT_PAGE).read_text(encoding="utf-8").count("\n")
    if lines > FRONT_PAGE_LIMIT:
        yield Finding(FRONT_PAGE, 1, f"has {lines} lines; the limit is {FRONT_PAGE_LIMIT}")


def check(root, _sources):
    pages = [path for path in list_files(root) if path.suffix == ".md"]
    yield from check_links(root, pages)
    yield from check_list(root, pages)
    yield from check_front_page(root)


def main(directory):
    root = Path(directory)
    pages = [PurePosixPath(path.relative_to(root)) for path in sorted(root.rglob("*.md"))]
    findings = list(check_links(root, pages))
    for finding in findings:
        print(finding)
    print(f"pages: {len(pages)} pages, {len(findings)} errors")
    return 1 if findings or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
