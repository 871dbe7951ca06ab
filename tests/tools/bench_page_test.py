"""The page of tools/bench --html in headless Chromium; skipped where there is none."""

import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/plugins/reporter_html/browser"))
from browser_check import contrast  # pylint: disable=wrong-import-position
from chromium import Chromium, find  # pylint: disable=wrong-import-position

page = SourceFileLoader("page", str(ROOT / "tools/benching/page.py")).load_module()


def operator(name, us, bound_us, **more):
    return {"name": name, "instance": f"{name}_0", "kernel": "org.loci.cpu/k",
            "detail": "inputs: {x[a.float:float32[2, 3]], bias[]}, outputs: {out[b:int64[2]]}",
            "runs": 1.0, "us": us, "flops": 1e6 * us, "bytes": 1e4, "bound_us": bound_us,
            "bound_by": "memory"} | more


def row(name, **more):
    return {"name": name, "value": 20.0, "unit": "us", "better": "less", "peer": None,
            "peer_value": None, "ratio": None, "budget": None, "met": None} | more


LEVELS = [{"bytes": 1 << 14, "read": 2e11, "copy": 1e11}, {"bytes": 1 << 28, "read": 3e10, "copy": 4e10}]
FULL = {
    "bench": "models",
    "machine": "a machine, 2 threads",
    "limits": [{"threads": 1, "flops": 1e11, "levels": LEVELS},
               {"threads": 2, "flops": 2e11, "levels": LEVELS}],
    "rows": [
        row("MLP <b>, 1", threads=1, bound_us=10.0, peer="ORT", peer_value=25.0, ratio=0.8,
            budget=25.0, met=True, peers={"ORT": 25.0, "PyTorch": 40.0},
            operators=[operator("relu", 4.0, 3.5), operator("matmul", 14.0, 6.5)]),
        row("res10, 2", threads=2, bound_us=5.0,
            operators=[operator("conv2d", 9.0, 2.5, runs=2.0)]),
    ],
}
EMPTY = {"bench": "cpu-kernels", "machine": "a machine", "notes": ["peers: absent"],
         "rows": [row("a figure", value=3, unit="MiB")]}


@unittest.skipIf(find() is None, "there is no Chromium")
class BenchPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)

    def open(self, result):
        path = self.folder / "page.html"
        path.write_text(page.page_of(result), encoding="utf-8")
        self.browser.reset()
        self.browser.open(path)

    def evaluate(self, expression):
        return self.browser.evaluate(expression)

    def text_of(self, section):
        return self.evaluate(f"document.getElementById('{section}').innerText")

    def assert_quiet(self):
        urls = [event["request"]["url"] for event in self.browser.events("Network.requestWillBeSent")]
        self.assertEqual([url for url in urls if not url.startswith("file://")], [])
        self.assertEqual(self.browser.events("Runtime.exceptionThrown"), [])
        self.assertEqual(self.browser.events("Log.entryAdded"), [])

    def test_shows_rows_by_their_distance_to_the_roofs(self):
        self.open(FULL)
        self.assert_quiet()
        self.assertEqual(self.evaluate("loci.table.texts().map((row) => row.slice(0, 8))"), [
            ["res10, 2", "20.0 µs", "5.00 µs", "25.0 %", "900", "–", "–", "–"],
            ["MLP <b>, 1", "20.0 µs", "10.0 µs", "50.0 %", "900", "ORT", "0.800", "met"],
        ])
        self.assertEqual(self.evaluate("document.querySelectorAll('b').length"), 0)

    def test_draws_a_bar_for_everybody_the_fastest_first(self):
        self.open(FULL)
        bars = self.evaluate("""[...document.querySelectorAll('.contest')].map((contest) =>
            [...contest.querySelectorAll('li')].map((bar) => bar.firstChild.textContent + ' ' +
                bar.querySelector('.length').style.getPropertyValue('--length')))""")
        self.assertEqual(bars[0], ["Roofs 25.00%", "Loci 50.00%", "ORT 62.50%", "PyTorch 100.00%"])
        self.assertEqual(bars[1], ["Roofs 25.00%", "Loci 100.00%"])

    def test_shows_first_which_operators_lose_most(self):
        self.open(FULL)
        names = "loci.operators.table.texts().map((row) => row[0] + ' ' + row[4])"
        self.assertEqual(self.evaluate(names), ["matmulmatmul_0 7.50 µs", "relurelu_0 500 ns"])
        self.assertEqual(self.evaluate("loci.operators.table.texts()[0].at(-1)"),
                         "float32[2, 3], int64[2]")
        self.evaluate("loci.operators.choice.value = '1', "
                      "loci.operators.choice.dispatchEvent(new Event('change'))")
        self.assertEqual(self.evaluate(names), ["conv2dconv2d_0 13.0 µs"])
        self.assertIn("20.0 µs, of which 18.0 µs in operators; at their roofs 5.00 µs",
                      self.text_of("operators"))

    def test_plots_rows_under_the_roofs_of_their_threads(self):
        self.open(FULL)
        self.assertEqual(self.evaluate("loci.points.map(({number, rate}) => [number, rate])"),
                         [[0, 9e11], [1, 9e11]])
        self.assertEqual(self.evaluate("document.querySelectorAll('#roofline .chart .point').length"), 2)
        self.assertIn("2 threads measured: 200 GFLOP/s, 40.0 GB/s", self.text_of("roofline"))
        self.assertEqual(self.evaluate("loci.limits.texts().length"), 4)

    def test_says_what_is_missing(self):
        self.open(EMPTY)
        self.assert_quiet()
        self.assertEqual(self.evaluate("loci.table.texts()[0].slice(0, 4)"),
                         ["a figure", "3.00 MiB", "–", "–"])
        for section, text in (("peers", "peers: absent"), ("peers", "No peer"),
                              ("operators", "Of no row"), ("roofline", "Of no row"),
                              ("limits", "not measured")):
            self.assertIn(text, self.text_of(section))

    def test_is_legible_in_both_schemes(self):
        self.open(FULL)
        for scheme in ("light", "dark"):
            self.browser.prefer_scheme(scheme)
            self.browser.settle()
            color = {name: self.evaluate("getComputedStyle(document.documentElement)"
                                         f".getPropertyValue('--{name}').trim()")
                     for name in ("ground", "ink", "muted", "self", "idle")}
            self.assertGreaterEqual(contrast(color["ink"], color["ground"]), 4.5)
            self.assertGreaterEqual(contrast(color["muted"], color["ground"]), 4.5)
            # Bars have a border that can be seen, whatever fills them.
            border = self.evaluate("getComputedStyle(document.querySelector('.length')).borderColor")
            channels = [int(part) for part in border[4:-1].split(",")]
            self.assertEqual("#" + "".join(f"{part:02x}" for part in channels), color["muted"])

    def test_fits_a_narrow_window(self):
        self.open(FULL)
        self.browser.resize(360, 740)
        self.browser.settle()
        self.assertLessEqual(self.evaluate("document.documentElement.scrollWidth"), 360)

    def test_prints(self):
        self.open(FULL)
        self.assertTrue(self.browser.pdf().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
