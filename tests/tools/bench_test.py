"""tools/bench --against: what it refuses and how it compares, by programs that are not real."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[2] / "tools"
against = SourceFileLoader("against", str(TOOLS / "benching" / "against.py")).load_module()


def row(value, better="less"):
    return {"name": "row", "value": value, "unit": "us", "better": better}


class CompareTest(unittest.TestCase):
    def compare(self, ours, theirs, fail_above=10):
        return against.compare({"row": ours}, {"row": theirs}, fail_above)[0]

    def test_fails_only_above_the_limit(self):
        self.assertTrue(self.compare(row(112), row(100))["failed"])
        self.assertFalse(self.compare(row(109), row(100))["failed"])
        self.assertFalse(self.compare(row(112), row(100), fail_above=15)["failed"])
        self.assertFalse(self.compare(row(50), row(100))["failed"])

    def test_knows_rows_of_which_more_is_better(self):
        self.assertTrue(self.compare(row(50, "more"), row(100, "more"))["failed"])
        self.assertFalse(self.compare(row(200, "more"), row(100, "more"))["failed"])

    def test_gives_no_ratio_over_nothing(self):
        self.assertIsNone(self.compare(row(5), row(0))["slowdown"])
        self.assertEqual(self.compare(row(0), row(0))["slowdown"], 1)

    def test_shows_rows_that_one_has_and_does_not_fail_by_them(self):
        rows = against.compare({"new": row(1)}, {"old": row(2)}, 10)
        lines = [against.line_of(each, "HEAD~1") for each in rows]
        self.assertTrue(lines[0].endswith("not in HEAD~1"))
        self.assertTrue(lines[1].endswith("only in HEAD~1"))
        self.assertFalse(any(each["failed"] for each in rows))

    def test_takes_medians(self):
        results = [{"row": row(value)} for value in (1, 9, 2)]
        self.assertEqual(against.medians(results)["row"]["value"], 2)


class MainTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.log = Path(scratch.name) / "log"
        self.folder = Path(scratch.name)

    def program(self, name, value, code=0):
        path = self.folder / name
        text = json.dumps({"rows": [row(value)]})
        path.write_text(f"#!/bin/sh\necho {name} >> '{self.log}'\necho '{text}'\nexit {code}\n")
        path.chmod(0o755)
        return str(path)

    def run_main(self, ours, theirs, *options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = against.main([ours, theirs, "HEAD", *options])
        return code, out.getvalue()

    def test_runs_in_turns_and_tells_by_the_exit_code(self):
        code, text = self.run_main(self.program("a", 130), self.program("b", 100))
        self.assertEqual(code, 1)
        self.assertIn("1.300 times as slow: SLOWER", text)
        self.assertEqual(self.log.read_text().split(), ["a", "b"] * 3)

    def test_succeeds_below_the_limit(self):
        code, text = self.run_main(self.program("a", 130), self.program("b", 100),
                                   "--fail-above", "40", "--json")
        self.assertEqual(code, 0)
        self.assertAlmostEqual(json.loads(text)["rows"][0]["slowdown"], 1.3)

    def test_tells_that_a_program_failed(self):
        with self.assertRaisesRegex(RuntimeError, "exit code 4"):
            self.run_main(self.program("a", 1), self.program("b", 1, code=4))


class RefusalTest(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([TOOLS / "bench", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_refuses_what_is_no_commit(self):
        self.assertIn("no commit nowhere", self.refused("models", "--against", "nowhere"))

    def test_refuses_a_benchmark_that_the_commit_lacks(self):
        folder = TOOLS.parent
        if subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True).returncode:
            self.skipTest("not a work tree of git")
        self.assertIn("HEAD has no benchmark no-such", self.refused("no-such", "--against", "HEAD"))

    def test_refuses_options_that_lack_a_value_or_a_commit(self):
        self.assertIn("--against wants a value", self.refused("models", "--against"))
        self.assertIn("goes with --against", self.refused("models", "--fail-above", "5"))


if __name__ == "__main__":
    unittest.main()
