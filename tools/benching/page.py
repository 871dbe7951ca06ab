"""Runs a benchmark that offers a roofline and writes a page of it that needs nothing else.

usage: page.py FILE PROGRAM [--json] [OPTION...]

Run by tools/bench --html. The page is tools/benching/page, with styles and scripts of the page that
the profiler's reporter writes where it names none of its own. --json prints the object as well."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The first that has a file counts.
FOLDERS = (ROOT / "tools/benching/page", ROOT / "plugins/reporter_html/page")


def text_of(name):
    for folder in FOLDERS:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise RuntimeError(f"the page names '{name}', which there is not")


def page_of(result):
    # Names are not trusted: none ends the element that the data is in.
    data = json.dumps(result).replace("<", "\\u003c")
    return re.sub(r"\{\{(.*?)\}\}",
                  lambda found: data if found[1] == "data" else text_of(found[1]),
                  text_of("index.html"))


def run(command):
    done = subprocess.run([*command, "--json", "--roofline"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def require_writable(path):
    """Before minutes are spent on measuring."""
    if path.is_dir():
        raise ValueError(f"--html {path}: it is a directory")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"--html {path}: there is no directory {path.parent}")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ValueError(f"--html {path}: it cannot be written")


def main(arguments):
    path = Path(arguments[0])
    require_writable(path)
    result = run([option for option in arguments[1:] if option != "--json"])
    path.write_text(page_of(result), encoding="utf-8")
    if "--json" in arguments:
        print(json.dumps(result, indent=2))
    else:
        print(f"{len(result['rows'])} rows of {result['bench']} in {path}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ValueError as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        sys.exit(2)
    except (RuntimeError, OSError) as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
