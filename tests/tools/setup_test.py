"""tools/setup with packages that are not real: apt and dpkg are scripts of this test."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "tools" / "setup"

# What it says of a package goes on for long, so that a reader that stops early breaks the pipe.
COMMANDS = {
    "dpkg-query": """
for name in "${@:3}"; do
  if [[ $name != @(ABSENT) ]] || grep -qx "$name" "$STATE/installed"; then
    if [[ $2 == *Package* ]]; then echo "installed $name"; else echo 'install ok installed'; fi
  else
    status=1
  fi
done
exit ${status:-0}
""",
    "apt-cache": """
[[ -e $STATE/lists/main_Packages ]] || exit 0
echo "$2:"
echo '  Installed: (none)'
if [[ $2 == @(NOWHERE) ]]; then echo '  Candidate: (none)'; else echo '  Candidate: 1.2'; fi
for i in {1..20000}; do echo "     version $i of a long table"; done
""",
    "apt-get": """
echo "$*" >>"$STATE/log"
[[ $1 != update ]] || { mkdir -p "$STATE/lists" && touch "$STATE/lists/main_Packages"; }
[[ $1 != install ]] || printf '%s\\n' "${@:5}" >>"$STATE/installed"
[[ $1 != install || $* != *@(BROKEN)* ]]
""",
    "apt-config": """echo "lists='$STATE/lists'" """,
    "id": "echo 0",
}


class Machine:
    def __init__(self, path, absent=(), nowhere=(), broken=(), has_lists=True):
        self.path = Path(path)
        (self.path / "installed").touch()
        (self.path / "log").touch()
        if has_lists:
            (self.path / "lists").mkdir()
            (self.path / "lists" / "main_Packages").touch()
        for name, text in COMMANDS.items():
            for word, packages in (("ABSENT", absent), ("NOWHERE", nowhere), ("BROKEN", broken)):
                text = text.replace(word, "|".join(packages) or "nothing")
            command = self.path / name
            command.write_text(f"#!/usr/bin/env bash\nshopt -s extglob\n{text}")
            command.chmod(0o755)

    def setup(self, *options):
        """Runs tools/setup; what it had apt-get do, and its exit code."""
        environment = {**os.environ, "STATE": str(self.path),
                       "PATH": f"{self.path}:{os.environ['PATH']}"}
        run = subprocess.run([SETUP, *options], env=environment, capture_output=True)
        log = (self.path / "log").read_text().splitlines()
        return [line.replace("-q -y --no-install-recommends ", "") for line in log], run.returncode


class SetupTest(unittest.TestCase):
    def setup(self, *options, **machine):
        with tempfile.TemporaryDirectory() as folder:
            return Machine(folder, **machine).setup(*options)

    def test_does_nothing_where_all_is_installed(self):
        self.assertEqual(self.setup(), ([], 0))

    def test_installs_what_is_missing(self):
        self.assertEqual(self.setup(absent=["cmake", "ninja-build"]),
                         (["update -q", "install cmake ninja-build"], 0))

    def test_installs_what_is_optional(self):
        self.assertEqual(self.setup(absent=["chromium"]), (["install chromium"], 0))
        self.assertEqual(self.setup(absent=["cmake", "chromium"]),
                         (["update -q", "install cmake", "install chromium"], 0))

    def test_asks_for_the_lists_that_were_never_fetched(self):
        self.assertEqual(self.setup(absent=["chromium"], has_lists=False),
                         (["update -q", "install chromium"], 0))

    def test_goes_on_without_what_is_optional(self):
        self.assertEqual(self.setup(absent=["chromium"], nowhere=["chromium"]), ([], 0))
        self.assertEqual(self.setup(absent=["chromium"], broken=["chromium"]),
                         (["install chromium"], 0))

    def test_fails_where_something_cannot_be_installed(self):
        _, status = self.setup(absent=["cmake"], broken=["cmake"])
        self.assertNotEqual(status, 0)

    def test_checks_without_installing(self):
        self.assertEqual(self.setup("--check"), ([], 0))
        self.assertEqual(self.setup("--check", absent=["chromium"]), ([], 0))
        self.assertEqual(self.setup("--check", absent=["cmake"]), ([], 1))


if __name__ == "__main__":
    sys.exit(unittest.main())
