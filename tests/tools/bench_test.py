"""tools/bench --against, --html and --record: what they refuse, compare and write, by programs that
are not real."""

import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[2] / "tools"
against = SourceFileLoader("against", str(TOOLS / "benching" / "against.py")).load_module()
page = SourceFileLoader("page", str(TOOLS / "benching" / "page.py")).load_module()
record = SourceFileLoader("record", str(TOOLS / "benching" / "record.py")).load_module()


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


class PageTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.path = self.folder / "page.html"

    def program(self, result, code=0):
        path = self.folder / "program"
        (self.folder / "result.json").write_text(json.dumps(result))
        path.write_text(f"#!/bin/sh\necho \"$@\" > '{self.folder}/options'\n"
                        f"cat '{self.folder}/result.json'\nexit {code}\n")
        path.chmod(0o755)
        return str(path)

    def run_main(self, result, *options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            page.main([str(self.path), self.program(result), *options])
        return out.getvalue()

    def data_of(self, text):
        begin = '<script type="application/json" id="data">'
        return text.split(begin)[1].split("</script>")[0]

    def test_holds_what_the_program_told_whatever_its_names_are(self):
        result = {"bench": "models", "machine": "m",
                  "rows": [row(1) | {"name": "</script><b>{{data}}&amp;"}]}
        said = self.run_main(result, "--only", "b1")
        self.assertEqual(said, f"1 rows of models in {self.path}\n")
        text = self.path.read_text()
        self.assertEqual(json.loads(self.data_of(text)), result)
        self.assertEqual(text.count("</script>"), 2)
        self.assertEqual((self.folder / "options").read_text(), "--only b1 --json --roofline\n")

    def test_prints_the_object_on_demand(self):
        result = {"bench": "models", "machine": "m", "rows": []}
        self.assertEqual(json.loads(self.run_main(result, "--json")), result)
        self.assertEqual((self.folder / "options").read_text(), "--json --roofline\n")

    def test_loads_nothing_and_names_no_file_that_is_missing(self):
        text = page.page_of({"rows": []})
        self.assertIn("default-src 'none'", text)
        self.assertNotRegex(text, r"(src|href)=[\"'](?!#)")
        self.assertNotRegex(text, r"\{\{|@import|url\(")
        self.assertEqual(re.findall(r"https?://[^\s\"')]+", text), ["http://www.w3.org/2000/svg"])

    def test_has_every_section_that_scripts_fill(self):
        text = page.page_of({"rows": []})
        for name in set(re.findall(r'section\("(\w+)"\)', text)):
            self.assertIn(f'id="{name}"', text)

    def test_tells_that_a_program_failed_and_writes_no_page(self):
        with self.assertRaisesRegex(RuntimeError, "exit code 4"):
            page.main([str(self.path), self.program({}, code=4)])
        self.assertFalse(self.path.exists())

    def test_refuses_what_cannot_be_written_before_it_measures(self):
        program = self.program({"bench": "models", "rows": []})
        for path, why in ((self.folder, "it is a directory"),
                          (self.folder / "no" / "page.html", "there is no directory")):
            with self.assertRaisesRegex(ValueError, why):
                page.main([str(path), program])
        self.assertFalse((self.folder / "options").exists())

    def test_tells_of_a_file_that_is_missing(self):
        with self.assertRaisesRegex(RuntimeError, "the page names 'script/no.js'"):
            page.text_of("script/no.js")


class RecordTest(unittest.TestCase):
    PAGE = "# Benchmarks\n<!-- recorded: made by tools/bench --record -->\nold\n<!-- end of recorded -->\nrest\n"
    RESULT = {"bench": "plan", "machine": "m, 2 threads", "rows": [
        {"name": "a", "value": 2.4321, "unit": "ns", "better": "less", "budget": 30.0, "met": True,
         "peer": "ORT", "peer_value": 736.4, "operators": []},
        {"name": "b", "value": 0.5, "unit": "", "better": "more", "budget": 0.9, "met": False,
         "peer": None, "peer_value": None}]}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "tests/bench").mkdir(parents=True)
        self.page = self.root / "tests/bench/README.md"
        self.page.write_text(self.PAGE)

    def run_main(self, code=0):
        program = self.root / "program"
        (self.root / "result.json").write_text(json.dumps(self.RESULT))
        program.write_text(f"#!/bin/sh\ncat '{self.root}/result.json'\nexit {code}\n")
        program.chmod(0o755)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            return record.main([str(program), "plan"], self.root)

    def test_the_page_shows_what_is_kept(self):
        self.assertEqual(self.run_main(), 0)
        kept = json.loads((self.root / "tests/bench/recorded/plan.json").read_text())
        self.assertNotIn("operators", kept["rows"][0])
        text = self.page.read_text()
        self.assertIn(f"`tools/bench plan`, {kept['date']}, m, 2 threads, load {kept['load']:.1f} before", text)
        self.assertIn("| a | <= 30 ns | 2.43 ns | ORT: 736 ns |\n", text)
        self.assertIn("| b | >= 0.9 | **0.5: missed** |  |\n", text)
        self.assertNotIn("old", text)
        self.assertTrue(text.endswith("<!-- end of recorded -->\nrest\n"))

    def test_a_program_that_fails_leaves_all_as_it_was(self):
        self.assertEqual(self.run_main(code=4), 3)
        self.assertEqual(self.page.read_text(), self.PAGE)


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
        self.assertIn("--html wants a value", self.refused("models", "--html"))
        self.assertIn("--html wants a value", self.refused("models", "--html", ""))

    def test_refuses_a_record_of_a_page(self):
        for option in ("--html", "--against"):
            self.assertIn("--record goes with neither", self.refused("models", "--record", option, "x"))

    def test_refuses_a_page_of_two_commits(self):
        options = ("--html", "page.html", "--against", "HEAD")
        self.assertIn("--html does not go with --against", self.refused("models", *options))


if __name__ == "__main__":
    unittest.main()
