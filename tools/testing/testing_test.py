"""Self test of this folder."""

import sys
import tempfile
import unittest
from pathlib import Path

import cases
import report
import share
from case_names import may_select, names_in, overlap
from programs import parse_list

CTEST = """<testsuite>
  <testcase name="{name}" time="{time}" status="{status}">{inside}</testcase>
</testsuite>"""

PROGRAM = """<testsuites><testsuite name="ShapeTest">
  <testcase name="Adds" status="run" result="completed"/>
  <testcase name="Grows" status="run" result="completed"><failure message="no"/></testcase>
  <testcase name="Waits" status="run" result="skipped">
    <skipped message="shape_test.cc:3&#x0A;there is no&#x0A;clock"/></testcase>
  <testcase name="DISABLED_Later" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""


class CaseNamesTest(unittest.TestCase):
    def test_names_what_macros_define(self):
        text = ("TEST(A, B) {}\n  TEST_F(C,\n      D) {}\nTEST_P(E, F) {}\nTYPED_TEST(G, H) {}\n"
                "// TEST(I, J)\n")
        self.assertEqual(list(names_in(text)), ["A.B", "C.D", "#E.F/*", "#G/#.H"])

    def test_patterns_overlap_where_one_text_matches_both(self):
        for a, b in [("A.B", "A.B"), ("A.*", "A.B"), ("*", "A.B"), ("A.?", "A.B"), ("", "*"),
                     ("All/E.F/3", "#E.F/*"), ("*/3", "#E.F/*"), ("E.*", "#E.F/*")]:
            self.assertTrue(overlap(a, b), (a, b))
        for a, b in [("A.B", "A.BC"), ("A.?", "A.BC"), ("B*", "A.B"), ("X/E.G/3", "#E.F/*"),
                     ("E2.*", "#E.F/*"), ("", "A")]:
            self.assertFalse(overlap(a, b), (a, b))

    def test_a_filter_has_several_patterns_and_exclusions(self):
        self.assertTrue(may_select("X.Y:A.*", "A.B"))
        self.assertTrue(may_select("-A.C", "A.B"))
        self.assertFalse(may_select("X.Y:Z.*-A.B", "A.B"))


class ListTest(unittest.TestCase):
    def test_reads_what_googletest_lists(self):
        text = ("Running main() from gmock_main.cc\nA.\n  B\n"
                "All/C.  # TypeParam = int\n  D/0  # GetParam() = 1.5\n")
        self.assertEqual(parse_list(text), ["A.B", "All/C.D/0"])


class ShareTest(unittest.TestCase):
    TESTS = [("b.1", "/x/bin/b"), ("b.2", "/x/bin/b"), ("a", "/x/bin/a"), ("c", "/x/bin/c"),
             ("script", "/usr/bin/cmake")]

    def test_reads_what_cmake_writes(self):
        text = ('add_test([=[a.1]=] "/x/bin/a" "--brief")\nset_tests_properties([=[a.1]=] PROPERTIES)\n'
                'add_test(b "/usr/bin/cmake")\n')
        self.assertEqual(share.tests_in(text), [("a.1", "/x/bin/a"), ("b", "/usr/bin/cmake")])

    def test_reads_the_folders_that_ctest_reads(self):
        with tempfile.TemporaryDirectory() as path:
            for folder, text in (("", 'subdirs("new")\n'), ("new", 'add_test(a "/x/bin/a")\n'),
                                 ("old", 'add_test(b "/x/bin/b")\n')):
                (Path(path) / folder).mkdir(exist_ok=True)
                (Path(path) / folder / "CTestTestfile.cmake").write_text(text, encoding="utf-8")
            self.assertEqual(share.read_tests(Path(path)), [("a", "/x/bin/a")])

    def test_takes_each_nth_test_and_its_executable(self):
        self.assertEqual(share.choose(self.TESTS, Path("/x/bin"), (1, 2)),
                         (["a", "b"], ["a", "b.2", "script"]))
        self.assertEqual(share.choose(self.TESTS, Path("/x/bin"), (2, 2)),
                         (["b", "c"], ["b.1", "c", "script"]))

    def test_all_shares_together_are_all_tests(self):
        chosen = [name for number in (1, 2, 3)
                  for name in share.choose(self.TESTS, Path("/x/bin"), (number, 3))[1]]
        self.assertEqual(sorted(set(chosen)), sorted(name for name, _ in self.TESTS))
        self.assertEqual(chosen.count("script"), 3)

    def test_refuses_what_is_no_share(self):
        self.assertEqual(share.parse_share("2/3"), (2, 3))
        for text in ("4/3", "0/3", "3", "a/b", "1/3x", ""):
            with self.assertRaisesRegex(ValueError, "no share"):
                share.parse_share(text)


class BuildFolder:
    """With one program, shape_test in two shards, and what a run of ctest left."""

    def __init__(self, path):
        self.path = Path(path)
        (self.path / "test-results").mkdir()
        source = self.path / "shape_test.cc"
        source.write_text("TEST(ShapeTest, Adds) {}\n")
        self.write("test-programs.txt", f"shape_test\tshape_test.1;shape_test.2\t{source}\n")

    def write(self, name, text):
        (self.path / name).write_text(text)

    def ctest(self, name, status="run", inside="", time=1):
        self.write("test-results/ctest.xml",
                   CTEST.format(name=name, status=status, inside=inside, time=time))

    def description(self):
        return list(report.describe(report.read_run(self.path)))


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = BuildFolder(folder.name)

    def test_counts_the_cases_of_a_program(self):
        self.build.ctest("shape_test.1", "fail", time=2.25)
        self.build.write("test-results/shape_test.1.xml", PROGRAM)
        self.assertEqual(self.build.description(), [
            "Skipped: 1",
            "  there is no clock: ShapeTest.Waits",
            "Failed: ShapeTest.Grows",
            "Slowest: shape_test.1 2.2 s",
            "3 cases in 1 program: 1 passed, 1 skipped, 1 failed"])

    def test_names_programs_without_a_result(self):
        self.build.ctest("shape_test.2")
        self.build.write("test-results/shape_test.1.xml", PROGRAM)  # of no test that ran
        description = self.build.description()
        self.assertIn("Ended without a result, as after a crash: shape_test.2", description)
        self.assertIn("0 cases in 0 programs: 0 passed, 0 skipped, 0 failed", description)

    def test_names_programs_that_fail_outside_of_cases(self):
        self.build.ctest("shape_test.1", "fail")
        passed = PROGRAM.replace("<failure", "<properties")
        self.build.write("test-results/shape_test.1.xml", passed)
        self.assertIn("Failed, though no case of it did: shape_test.1", self.build.description())

    def test_another_test_is_one_case(self):
        self.build.ctest("package")
        self.assertIn("1 case in 1 program: 1 passed, 0 skipped, 0 failed", self.build.description())
        self.build.ctest("package", "notrun", '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
                         "<system-out>-- skipped: no clang\n</system-out>")
        self.assertIn("  no clang: package", self.build.description())
        self.build.ctest("package", "notrun", '<skipped message="Unable to find executable"/>')
        self.assertIn("Failed: package", self.build.description())

    def test_finds_programs_by_their_sources(self):
        self.assertEqual(cases.candidate_names(self.build.path, "Shape*"), ["shape_test"])
        self.assertEqual(cases.candidate_names(self.build.path, "Array*"), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
