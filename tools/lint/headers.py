"""Public headers compile with both compilers: the C ABI as C11 and C++17, the rest as C++17.

With the first compiler each compiles alone. What it needs is the same for the other, which reads all
of a standard at once, for its warnings.
"""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_files import Finding

INCLUDE_ROOT = "sdk/include"
COMPILERS = {"c11": ("gcc", "clang-14"), "c++17": ("g++", "clang++-14")}
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def standards_of(path):
    return ("c11", "c++17") if "abi" in path.parts else ("c++17",)


def check(root, sources):
    public = [path for path in sources if str(path).startswith(INCLUDE_ROOT + "/")]
    jobs = []
    for standard, (alone, together) in COMPILERS.items():
        headers = [path for path in public if standard in standards_of(path)]
        jobs += [([path], standard, alone) for path in headers] + [(headers, standard, together)]
    for compiler in sorted({compiler for _, _, compiler in jobs}):
        if not shutil.which(compiler):
            yield Finding("tools/setup", 1, f"{compiler} is not installed")
            return
    with tempfile.TemporaryDirectory() as generated, ThreadPoolExecutor(os.cpu_count()) as pool:
        _write_generated(Path(generated) / "loci")
        for finding in pool.map(lambda job: _compile(root, generated, *job), jobs):
            if finding:
                yield finding


def _write_generated(folder):
    """Stand-ins for the headers that CMake generates."""
    (folder / "abi").mkdir(parents=True)
    (folder / "abi" / "digest.h").write_text('#define LOCI_ABI_DIGEST "0"\n', encoding="utf-8")
    (folder / "config.hpp").write_text(
        "#pragma once\n#define LOCI_WITH_TIMER 1\n#define LOCI_WITH_PROFILER 1\n", encoding="utf-8")


def _compile(root, generated, paths, standard, compiler):
    language = "c" if standard == "c11" else "c++"
    # C wants a declaration in each translation unit.
    text = "".join(f"#include <{path.relative_to(INCLUDE_ROOT)}>\n" for path in paths)
    text += "typedef int loci_not_empty;\n"
    command = [compiler, f"-std={standard}", "-x", language, *FLAGS]
    command += ["-I", INCLUDE_ROOT, "-I", generated, "-"]
    result = subprocess.run(command, input=text, cwd=root, capture_output=True, text=True,
                            check=False)
    if result.returncode == 0:
        return None
    how = "alone" if len(paths) == 1 else "with the others"
    return Finding(str(paths[0]), 1,
                   f"does not compile {how} ({compiler}, {standard}):\n{result.stderr}")
