"""tools/build: what it shows of a build, by commands and clocks that are not real."""

import contextlib
import io
import sys
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
PATH = Path(__file__).resolve().parents[2] / "tools" / "build"
build = SourceFileLoader("build", str(PATH)).load_module()


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class ProgressTest(unittest.TestCase):
    def setUp(self):
        self.out = io.StringIO()
        self.clock = Clock()
        self.progress = build.Progress(self.out, self.clock)

    def test_says_now_and_then_what_is_left(self):
        for step in range(1, 31):
            self.clock.now += 2
            self.progress.step(step, 120, "compiles")
        self.assertEqual(self.out.getvalue().splitlines(), [
            "build: 8 of 120 steps, 16 s, about 3 min 44 s left",
            "build: 16 of 120 steps, 32 s, about 3 min 28 s left",
            "build: 24 of 120 steps, 48 s, about 3 min 12 s left"])

    def test_ends_with_the_time_of_all(self):
        self.progress.step(3, 3, "links")
        self.clock.now = 75
        self.progress.finish(succeeded=True)
        self.assertEqual(self.out.getvalue(), "build: 3 steps, 1 min 15 s\n")

    def test_says_that_there_is_nothing_to_do(self):
        self.progress.finish(succeeded=True)
        self.assertEqual(self.out.getvalue(), "build: nothing to do, 0 s\n")


class BuildTest(unittest.TestCase):
    def run_build(self, script):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = build.build(["bash", "-c", script], build.Progress(out))
        return code, out.getvalue()

    def test_takes_steps_from_what_the_build_prints(self):
        code, text = self.run_build('echo "${NINJA_STATUS/"%f %t"/"2 2"}Linking"')
        self.assertEqual((code, text), (0, "build: 2 steps, 0 s\n"))

    def test_passes_on_what_compilers_say(self):
        code, text = self.run_build("echo 'a.cc:1: error: no'; echo 'FAILED: a.o' >&2; exit 3")
        self.assertEqual((code, text), (3, "a.cc:1: error: no\nFAILED: a.o\n"))


if __name__ == "__main__":
    unittest.main()
