"""The files of a family of ops share a stem, and the list of families names all that there are."""

import re
from pathlib import PurePosixPath

from source_files import Finding

LIST = "tools/cmake/LociOpFamilies.cmake"
# Where a family has a file, and the list of those that have none there, if there is one.
PLACES = {
    "framework/ops/{}.cc": None,
    "plugins/kernels/{}.cc": "LOCI_OP_FAMILIES_WITHOUT_KERNELS",
    "tools/conformance/cases/{}.cc": "LOCI_OP_FAMILIES_WITHOUT_CASES",
    "tests/framework/ops/{}_test.cc": None,
}
# Files that look like a family's and are none.
EXCEPTIONS = {
    "plugins/kernels/attention_grad.cc": "a part of attention",
    "plugins/kernels/log_softmax.cc": "a part of softmax",
    "plugins/kernels/reduce_fold_grad.cc": "a part of reduce_fold",
    "tools/conformance/cases/programs.cc": "of many ops",
}

_SET = re.compile(r"^set\((LOCI_OP_FAMILIES\w*)\s+([\w\s]*)\)", re.MULTILINE)
# What the build calls of a family, where it is defined.
_ENTRY = re.compile(r"^void (?:register_\w+_ops\(OpRegistry|add_\w+_cases\(Suite|add_\w+\(KernelDefs)&"
                    r" \w+\) \{", re.MULTILINE)


def read_lists(text):
    """The lists of the file, by their names."""
    return {name: items.split() for name, items in _SET.findall(text)}


def check(root, sources):
    lists = read_lists((root / LIST).read_text(encoding="utf-8"))
    families = lists["LOCI_OP_FAMILIES"]
    if families != sorted(set(families)):
        yield Finding(LIST, 1, "LOCI_OP_FAMILIES is not sorted")
    present = {str(path) for path in sources}
    expected = set(EXCEPTIONS)
    for place, exempt in PLACES.items():
        without = lists.get(exempt, [])
        for family in families:
            path = place.format(family)
            expected.add(path)
            if (path in present) == (family in without):
                yield Finding(LIST, 1, f"{path} exists, in spite of {exempt}" if path in present
                              else f"the family {family} has no {path}")
    for path in sorted(EXCEPTIONS.keys() - present):
        yield Finding("tools/lint/op_families.py", 1, f"{path} does not exist")
    for path in sorted(present - expected):
        if _may_be_a_family(path) and _ENTRY.search((root / path).read_text(encoding="utf-8")):
            yield Finding(path, 1, f"is of no family in {LIST}: nothing calls it")


def _may_be_a_family(path):
    folder = str(PurePosixPath(path).parent)
    return any(folder == str(PurePosixPath(place).parent) for place in PLACES)
