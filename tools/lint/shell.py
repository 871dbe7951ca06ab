"""Shell scripts: what shellcheck finds, and pipes that pipefail makes fail at times."""

import json
import re
import subprocess

from source_files import Finding, list_scripts

# Its reader ends early, so that the writer may die of SIGPIPE, which is then the pipe's exit code.
_BREAKING_PIPE = re.compile(
    r"(?<!\|)\|&?\s*(?P<reader>grep\s+(?:-\S+\s+)*?-[a-zA-Z]*[qm]|grep\s+--(?:quiet|max-count)"
    r"|head\b|sed\s+(?:-n\s+)?['\"]?[^|'\"]*\dq)")
_PIPEFAIL = re.compile(r"^\s*set\s.*\bpipefail\b", re.MULTILINE)
_COMMENT = re.compile(r"(?m)^\s*#.*$")


def breaking_pipes(text):
    """Yields line and reader of each such pipe."""
    if not _PIPEFAIL.search(text):
        return
    text = _COMMENT.sub("", text)
    for match in _BREAKING_PIPE.finditer(text):
        yield text.count("\n", 0, match.start("reader")) + 1, match.group("reader")


def shellcheck(root, scripts):
    try:
        run = subprocess.run(["shellcheck", "--format=json1", "--", *map(str, scripts)], cwd=root,
                             capture_output=True, text=True)
    except FileNotFoundError:
        yield Finding(str(scripts[0]), 1, "needs shellcheck; run tools/setup")
        return
    for comment in json.loads(run.stdout)["comments"]:
        yield Finding(comment["file"], comment["line"],
                      f"{comment['message']} [SC{comment['code']}]")


def check(root, _sources):
    scripts = list_scripts(root)
    if scripts:
        yield from shellcheck(root, scripts)
    for script in scripts:
        for line, reader in breaking_pipes((root / script).read_text(encoding="utf-8")):
            yield Finding(str(script), line, f"'{reader}' ends before it has read all, which pipefail "
                          "makes a failure of what writes to it; read it into a variable first")
