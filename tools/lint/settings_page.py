"""The page of all environment variables, made of environment.cc and the plugins' manifests.

usage: settings_page.py ROOT     prints what framework/core/SETTINGS.md has to be

The core's variables are described in environment.cc. A plugin's manifest names its settings, and the
plugin's own page describes them: the check demands each of them there.
"""

import json
import re
import sys
from pathlib import Path, PurePosixPath

from source_files import Finding

PAGE = "framework/core/SETTINGS.md"
SOURCE = "framework/core/environment.cc"
MANIFESTS = "plugins/*/manifest.json.in"
# Where variables of the product are read; tests have some of their own.
FOLDERS = {"framework", "plugins", "tools"}
# What is read besides those of the core and of plugins: name -> what it is for.
OTHERS = {
    "CUDA_HOME": "`cuda_graph`: a CUDA toolkit, looked through for `libcudadevrt.a`",
    "CUDA_PATH": "`cuda_graph`: the same, after `CUDA_HOME`",
    "CUDA_VISIBLE_DEVICES": "the devices that a CUDA driver, or its double, shows",
    "HOME": "caches lie in `~/.cache/loci` where `XDG_CACHE_HOME` is not set",
    "LOCI_CUDA_DOUBLE": "the devices, checks and failures of the [double of the CUDA driver]"
                        "(../../tools/cuda_double/driver/README.md)",
    "LOCI_CUDNN_DOUBLE": "the failures of the [double of cuDNN](../../tools/cuda_double/cudnn/README.md)",
    "NVTX_INJECTION64_PATH": "`reporter_nvtx`: the library of the tool that shows live ranges",
    "OMP_NUM_THREADS": "how many threads run kernels where `LOCI_THREADS` is not set",
    "RANK": "the process's rank in its profiles",
    "TMPDIR": "where temporary files lie; `/tmp` where it is not set",
    "WORLD_SIZE": "how many processes `RANK` counts",
    "XDG_CACHE_HOME": "where the folder `loci` with the caches of probes, peaks and compiled kernels lies",
}

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_INTEGER = re.compile(r'\binteger\(\s*"(\w+)",\s*(\w+),\s*(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
_TEXT = re.compile(r'\{\{"(\w+)",\s*(\w+|"[^"]*"),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}')
_NUMBER = r"\b{}\s*=\s*([\d']+)\s*;"
_LIMIT = {"kMostBytes": "2^63 - 1", "kLargestSeed": "2^64 - 1"}
_READ = re.compile(r'(?:getenv|number_in)\(\s*"(\w+)"|for \(const char\* name : \{([^}]*)\}\)')

HEAD = """# Settings

With this page you can look up every environment variable that Loci reads, what it takes, and what holds
while it is unset. An empty value counts as unset. A wrong value of the first table is one error, whichever
subcommand or function runs first; `loci --help` prints that table. `loci::config::set("THREADS", "4")` sets
a variable from within, over the environment. The page is generated, and lint compares it with its sources:

    python3 -B tools/lint/settings_page.py . > framework/core/SETTINGS.md
"""


def joined(literals):
    return "".join(_STRING.findall(literals))


def constant(root, name):
    """A number, or the value of a constant of framework/core, as a reader writes it."""
    if name.isdigit() or name in _LIMIT:
        return _LIMIT.get(name, name)
    folder = root / "framework/core"
    for path in [root / SOURCE, *sorted(folder.glob("*.h"))]:
        found = re.search(_NUMBER.format(name), path.read_text(encoding="utf-8"))
        if found:
            return found[1].replace("'", "")
    raise ValueError(f"{SOURCE}: no header of framework/core says what {name} is")


def form(root, text):
    """What a variable takes: a literal, or a constant that a header has."""
    if text.startswith('"'):
        return text.strip('"')
    for path in sorted((root / "framework/core").glob("*.h")):
        found = re.search(rf"\b{text}\s*=\s*((?:\"[^\"]*\"\s*)+);", path.read_text(encoding="utf-8"))
        if found:
            return joined(found[1])
    raise ValueError(f"{SOURCE}: no header of framework/core says what {text} is")


def core_variables(root):
    """(name, what it takes, meaning, what holds without it) of each, by name."""
    text = (root / SOURCE).read_text(encoding="utf-8")
    found = []
    for name, low, high, meaning in _INTEGER.findall(text):
        found.append((name, f"{constant(root, low)} to {constant(root, high)}", joined(meaning)))
    for name, takes, meaning in _TEXT.findall(text):
        found.append((name, form(root, takes), joined(meaning)))
    if not found:
        raise ValueError(f"{SOURCE}: error: lists no variables; has the way that it lists them changed?")
    rows = []
    for name, takes, meaning in sorted(found):
        what, _, unset = meaning.partition("; unset: ")
        rows.append((f"LOCI_{name}", takes, what, unset))
    return rows


def plugin_settings(root):
    """(folder, id, settings) of each plugin that lists some."""
    found = []
    for path in sorted(root.glob(MANIFESTS)):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest.get("settings"):
            found.append((PurePosixPath(path.parent.relative_to(root)), manifest["id"], manifest["settings"]))
    return found


def variable_of(plugin_id, key):
    own = f"LOCI_{plugin_id.rpartition('.')[2].upper()}"
    return f"{own}_{key.upper()}" if key else own


def table(head, rows):
    lines = [head, "|" + " --- |" * (head.count("|") - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def page(root):
    core = [(f"`{name}`", takes, what, unset) for name, takes, what, unset in core_variables(root)]
    plugins = []
    for folder, plugin_id, keys in plugin_settings(root):
        names = ", ".join(f"`{variable_of(plugin_id, key)}`" for key in keys)
        plugins.append((f"[{folder.name}](../../{folder}/README.md#settings)", names))
    others = [(f"`{name}`", what) for name, what in sorted(OTHERS.items())]
    return "\n".join([
        HEAD,
        "## The core\n", table("| variable | takes | what it sets | unset |", core),
        "## Plugins\n\nThe plugin's page says what each one takes. A variable that begins with a plugin's name and "
        "is none of\nthese is a warning in the log, with the nearest one.\n",
        table("| plugin | variables |", plugins),
        "## Variables of others\n", table("| variable | what Loci takes from it |", others).rstrip("\n")]) + "\n"


def literals_read(text):
    for one, several in _READ.findall(text):
        yield from [one] if one else _STRING.findall(several)


def check_literals(root, sources):
    for path in sources:
        if path.parts[0] not in FOLDERS:
            continue
        for name in literals_read((root / path).read_text(encoding="utf-8")):
            if name.isupper() and name not in OTHERS:
                yield Finding(str(path), 1, f"reads {name}, which tools/lint/settings_page.py does not list")


def check_plugin_pages(root):
    for folder, plugin_id, keys in plugin_settings(root):
        path = root / folder / "README.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for key in keys:
            name = variable_of(plugin_id, key)
            if f"`{name}`" not in text and f"`{key}`" not in text and f"`{name}=" not in text:
                yield Finding(f"{folder}/README.md", 1, f"does not describe {name}")


def check(root, sources):
    current = root / PAGE
    if not current.is_file() or current.read_text(encoding="utf-8") != page(root):
        yield Finding(PAGE, 1, "differs from its sources; make it anew, as it says itself")
    yield from check_literals(root, sources)
    yield from check_plugin_pages(root)


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1])))
