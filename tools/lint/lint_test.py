"""Self test of the checks."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path, PurePosixPath

import comments
import layering
import mirrored_tests
import op_families
import pages
import settings_page
import shell
import sizes
import syntax


class SyntaxTest(unittest.TestCase):
    def test_nothing_is_written(self):
        self.assertEqual(syntax.syntax_command("ccache clang++ -O0 -o a/b.o -c /x/b.cc"),
                         "ccache clang++ -O0 -fsyntax-only -c /x/b.cc")

    def test_a_refused_source_is_told(self):
        entry = {"directory": "/", "command": "bash -c 'echo $0 $*; exit 1' -o x.o -c x.cc"}
        self.assertEqual(syntax.refusal(entry), "-fsyntax-only -c x.cc\n")
        self.assertIsNone(syntax.refusal(dict(entry, command="true -o x.o -c x.cc")))

    def test_folders_are_those_of_the_objects(self):
        entry = {"command": "clang++ -o tests/bench/CMakeFiles/bench.dir/a.o -c /x/build/unity.cxx"}
        self.assertTrue(syntax.is_built_from(entry, ["examples", "tests/bench/"]))
        self.assertFalse(syntax.is_built_from(entry, ["tests/be", "tests/benches"]))


class CommentsTest(unittest.TestCase):
    def test_finds_beginnings_that_lean(self):
        text = ("// What is kept.\nint a;\n"
                "// The buffer is\n// of the device.\nint b;\n"
                "  // Of frames.\n  int c;  // what\n"
                "// Offsets are in bytes.\nint d;\n")
        self.assertEqual(list(comments.leaning_lines(text)), [(1, "What"), (6, "Of")])

    def test_tells_file_line_and_word(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.h").write_text("int a;\n// By index.\nint b;\n", encoding="utf-8")
            found = list(comments.check(Path(folder), [PurePosixPath("a.h")]))
        self.assertEqual([(finding.path, finding.line) for finding in found], [("a.h", 2)])
        self.assertIn("begins with By and leans", found[0].message)


class LayeringTest(unittest.TestCase):
    def refusal(self, path, include):
        return layering.refusal(PurePosixPath(path), include)

    def test_framework_follows_the_arrows(self):
        self.assertIsNone(self.refusal("framework/tensor/tensor.cc", "framework/core/shape.h"))
        self.assertIsNone(self.refusal("framework/tensor/tensor.cc", "framework/tensor/scope.h"))
        self.assertIsNone(self.refusal("framework/core/error.cc", "loci/error.hpp"))
        self.assertTrue(self.refusal("framework/core/error.cc", "framework/tensor/tensor.h"))
        self.assertTrue(self.refusal("framework/io/npy.cc", "framework/eager/engine.h"))
        self.assertTrue(self.refusal("framework/profiler/collector.cc", "framework/device/device.h"))

    def test_abi_stays_below(self):
        self.assertIsNone(self.refusal("framework/plugin/loader.cc", "loci/abi/plugin.h"))
        self.assertTrue(self.refusal("framework/passes/fuse.cc", "loci/abi/plugin.h"))
        self.assertTrue(self.refusal("framework/plugin/loader.cc", "loci/plugin/kernel.hpp"))
        self.assertIsNone(self.refusal("framework/ops/pool2d.cc", "loci/plugin/window.hpp"))

    def test_plugins_know_the_sdk_only(self):
        self.assertIsNone(self.refusal("plugins/cpu/device.cc", "loci/plugin/device.hpp"))
        self.assertIsNone(self.refusal("plugins/cpu/device.cc", "plugins/kernels/add.h"))
        self.assertIsNone(self.refusal("plugins/cpu/device.cc", "dnnl.hpp"))
        self.assertTrue(self.refusal("plugins/cpu/device.cc", "loci/tensor.hpp"))
        self.assertIsNone(self.refusal("plugins/template/plugin_test.cc", "loci/loci.hpp"))
        self.assertTrue(self.refusal("plugins/template/plugin.cc", "loci/loci.hpp"))
        self.assertTrue(self.refusal("plugins/template/plugin_test.cc", "framework/core/raise.h"))
        self.assertTrue(self.refusal("plugins/cpu/device.cc", "framework/core/error.h"))
        self.assertTrue(self.refusal("plugins/cpu/device.cc", "plugins/sim/device.h"))
        self.assertTrue(self.refusal("plugins/cpu/device.cc", "../sim/device.h"))

    def test_consumers_know_installed_headers_only(self):
        self.assertIsNone(self.refusal("tools/loci/main.cc", "tools/loci/run.h"))
        self.assertTrue(self.refusal("tools/loci/main.cc", "framework/io/npy.h"))
        self.assertTrue(self.refusal("examples/digits/main.cc", "framework/io/npy.h"))
        self.assertIsNone(self.refusal("tools/conformance/main.cc", "framework/io/npy.h"))

    def test_sdk_stands_alone(self):
        self.assertTrue(self.refusal("sdk/include/loci/abi/host.h", "stdbool.h"))
        self.assertTrue(self.refusal("sdk/include/loci/plugin/kernel.hpp", "loci/tensor.hpp"))
        self.assertTrue(self.refusal("sdk/include/loci/plugin/kernel.hpp", "unistd.h"))
        self.assertFalse(self.refusal("sdk/include/loci/plugin/cache_folder.hpp", "unistd.h"))
        self.assertTrue(self.refusal("sdk/include/loci/tensor.hpp", "fmt/format.h"))
        self.assertIsNone(self.refusal("sdk/include/loci/tensor.hpp", "vector"))


class SizesTest(unittest.TestCase):
    def functions(self, text):
        return [(name, length) for _, name, length in sizes.function_lengths(text)]

    def test_finds_functions_in_scopes(self):
        text = ("namespace loci {\nclass A : public B {\n  int f() const {\n    return 1;\n  }\n};\n"
                "template <class T>\nvoid A::g(T t) {\n  auto h = [&] { t(); };\n  h();\n}\n}\n")
        self.assertEqual(self.functions(text), [("f", 3), ("A::g", 5)])

    def test_is_not_misled(self):
        text = ('const char* kText = R"({{{)";  // {\n/* { */\n#define M(x) {\n'
                "constexpr int kTable[] = {1, 2};\nint f() { return '{' + 10'000; }\n")
        self.assertEqual(self.functions(text), [("f", 1)])

    def test_sees_bodies_after_initialisers(self):
        text = ("A::A(int b)\n    : b_{b},\n      c_(b) {\n  use();\n  use();\n}\n"
                "void f(P p = {}) {\n  use();\n}\n")
        self.assertEqual(self.functions(text), [("A::A", 6), ("f", 3)])

    def test_returning_a_struct_is_a_function(self):
        self.assertEqual(self.functions("struct S make() {\n}\n"), [("make", 2)])


class MirroredTestsTest(unittest.TestCase):
    def test_reports_missing_and_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            listing = root / mirrored_tests.EXCEPTIONS
            listing.parent.mkdir(parents=True)
            listing.write_text("# why\nframework/io/gone.cc: moved\nframework/io/b.cc: by a_test\n")
            sources = [PurePosixPath(name) for name in
                       ("framework/io/a.cc", "framework/io/b.cc", "framework/io/c.cc",
                        "tests/framework/io/a_test.cc")]
            findings = list(mirrored_tests.check(root, sources))
        self.assertEqual([finding.path for finding in findings],
                         ["framework/io/c.cc", mirrored_tests.EXCEPTIONS])

    def test_an_exception_needs_a_reason(self):
        with self.assertRaises(ValueError):
            mirrored_tests.read_exceptions("framework/io/a.cc\n")


class OpFamiliesTest(unittest.TestCase):
    LISTS = ("set(LOCI_OP_FAMILIES\n  loop\n  relu)\n"
             "set(LOCI_OP_FAMILIES_WITHOUT_KERNELS loop)\nset(LOCI_OP_FAMILIES_WITHOUT_CASES loop)\n")
    FILES = ("framework/ops/loop.cc", "framework/ops/relu.cc", "plugins/kernels/relu.cc",
             "tests/framework/ops/loop_test.cc", "tests/framework/ops/relu_test.cc",
             "tools/conformance/cases/relu.cc")

    def findings(self, files, lists=LISTS):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {op_families.LIST: lists, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            exempt = list(op_families.EXCEPTIONS)
            sources = [PurePosixPath(name) for name in [*files, *exempt]]
            return [finding.message for finding in op_families.check(root, sources)]

    def test_every_family_has_its_files(self):
        files = dict.fromkeys(self.FILES, "")
        self.assertEqual(self.findings(files), [])
        for gone in self.FILES:
            present = {name: "" for name in self.FILES if name != gone}
            self.assertRegex(self.findings(present)[0], rf"^the family \w+ has no {gone}$")

    def test_an_exempt_family_has_none(self):
        files = dict.fromkeys([*self.FILES, "plugins/kernels/loop.cc"], "")
        self.assertRegex(self.findings(files)[0], "^plugins/kernels/loop.cc exists, in spite of")

    def test_what_nothing_calls_is_found(self):
        files = dict.fromkeys(self.FILES, "")
        for name, entry in {"framework/ops/a.cc": "register_a_ops(OpRegistry& registry)",
                            "plugins/kernels/a.cc": "add_a(KernelDefs& kernels)",
                            "tools/conformance/cases/a.cc": "add_a_cases(Suite& suite)"}.items():
            self.assertEqual(self.findings({**files, name: "int x;\n"}), [])
            self.assertRegex(self.findings({**files, name: f"void {entry} {{\n}}\n"})[0],
                             "^is of no family")

    def test_the_list_is_sorted(self):
        lists = self.LISTS.replace("loop\n  relu", "relu\n  loop")
        self.assertEqual(self.findings(dict.fromkeys(self.FILES, ""), lists),
                         ["LOCI_OP_FAMILIES is not sorted"])


class ShellTest(unittest.TestCase):
    def pipes(self, text):
        return list(shell.breaking_pipes("#!/bin/bash\nset -euo pipefail\n" + text))

    def test_finds_readers_that_end_early(self):
        for reader in ("grep -q", "grep -iq", "grep -i -q", "grep -m", "grep --quiet", "head",
                       "sed 1q", "sed -n 5q"):
            self.assertEqual(self.pipes(f"ls | {reader} x\n"), [(3, reader)])
        self.assertEqual(self.pipes("# none | head\nls |\n  head -1\n"), [(5, "head")])

    def test_lets_other_readers_be(self):
        self.assertEqual(self.pipes("ls | grep x\ntest -e a || head b\ngrep -q a b\nls | sort -q\n"
                                    "ls | sed -n 's/q/m/'\nls | grep -c ' -q'\n"), [])
        self.assertEqual(list(shell.breaking_pipes("#!/bin/bash\nls | head\n")), [])

    def test_checks_every_script_that_git_knows(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            (root / "run").write_text("#!/usr/bin/env bash\nset -o pipefail\necho $1 | head\n")
            (root / "good").write_text('#!/bin/sh\nls "$1"\n')
            (root / "notes").write_text("ls $1\n")
            (root / "tests/fuzz/corpus").mkdir(parents=True)
            (root / "tests/fuzz/corpus/script").write_text("#!/bin/sh\nls $1\n")
            findings = [str(finding) for finding in shell.check(root, [])]
        self.assertEqual(len(findings), 2, findings)
        self.assertRegex(findings[0], r"^run:3: error: Double quote .* \[SC2086\]$")
        self.assertRegex(findings[1], r"^run:3: error: 'head' ends before")


class PagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, text=""):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def refusals(self, text):
        self.write("a/page.md", text)
        return [finding.message for finding in pages.check_links(self.root, [PurePosixPath("a/page.md")])]

    def test_links_lead_to_files_and_headings(self):
        self.write("other.md", "# One `two`, three\n## Twice\n## Twice\n```\n# no heading\n```\n")
        self.write("examples/async/async.cc")
        self.assertEqual(self.refusals("# Top\n[a](#top) [b](../other.md#one-two-three) [c](../other.md#twice-1)\n"
                                       "[d](https://example.org/x) [e](../examples/async) `[f](gone.md)`\n"
                                       "```\n[g](gone.md)\n```\n    [h](gone.md)\n"), [])
        for target in ("gone.md", "../gone.md", "../../page.md"):
            self.assertEqual(self.refusals(f"[a]({target})\n"), [f"the link '{target}' leads to no file"])
        self.assertEqual(len(self.refusals("[its text\nwraps](gone.md)\n")), 1)
        for target in ("#gone", "../other.md#twice-2", "../other.md#no-heading"):
            self.assertRegex(self.refusals(f"[a]({target})\n")[0], "leads to no heading of")

    def test_what_is_not_installed_is_no_target(self):
        self.write("framework/a.h")
        self.assertRegex(self.refusals("[a](../framework/a.h)\n")[0], "an installation does not have")

    def test_the_list_has_all_pages(self):
        self.write(pages.LIST, "set(LOCI_PAGES\n  b.md\n  gone.md)\n")
        found = pages.check_list(self.root, [PurePosixPath("a.md"), PurePosixPath("b.md")])
        self.assertEqual([finding.message.split(":")[0] for finding in found],
                         ["a.md is not listed", "gone.md does not exist"])
        self.write(pages.LIST, "set(LOCI_PAGES b.md a.md)\n")
        found = pages.check_list(self.root, [PurePosixPath("a.md"), PurePosixPath("b.md")])
        self.assertEqual([finding.message for finding in found], ["LOCI_PAGES is not sorted"])

    def test_the_front_page_is_short(self):
        for lines, findings in ((pages.FRONT_PAGE_LIMIT, 0), (pages.FRONT_PAGE_LIMIT + 1, 1)):
            self.write(pages.FRONT_PAGE, "x\n" * lines)
            self.assertEqual(len(list(pages.check_front_page(self.root))), findings)


class SettingsPageTest(unittest.TestCase):
    SOURCE = ('constexpr std::uint64_t kMost = 86\'400;\n'
              'integer("WAIT", 0, kMost,\n  "seconds "\n "to wait; unset: 60"),\n'
              '{{"PATH", kForm, "where to look"}, Form::kAnything},\n')

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write(settings_page.SOURCE, self.SOURCE)
        self.write("framework/core/form.h", 'inline constexpr const char* kForm = "directories";\n')
        self.write("plugins/npu/manifest.json.in", '{"id": "org.npu", "settings": ["", "tune"]}')
        self.write("plugins/npu/README.md", "| `LOCI_NPU` | `tune` |\n")
        self.write(settings_page.PAGE, settings_page.page(self.root))

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def messages(self, sources=()):
        return [finding.message for finding in
                settings_page.check(self.root, [PurePosixPath(name) for name in sources])]

    def test_the_page_has_all_variables(self):
        page = settings_page.page(self.root)
        self.assertIn("| `LOCI_WAIT` | 0 to 86400 | seconds to wait | 60 |\n", page)
        self.assertIn("| `LOCI_PATH` | directories | where to look |  |\n", page)
        self.assertIn("| `LOCI_NPU`, `LOCI_NPU_TUNE` |\n", page)
        self.assertEqual(self.messages(), [])

    def test_a_page_that_is_older_is_found(self):
        self.write(settings_page.SOURCE, self.SOURCE.replace("86'400", "7"))
        self.assertRegex(self.messages()[0], "^differs from its sources")

    def test_a_plugin_describes_its_settings(self):
        self.write("plugins/npu/README.md", "| `LOCI_NPU` |\n")
        self.assertEqual(self.messages(), ["does not describe LOCI_NPU_TUNE"])

    def test_a_variable_that_is_read_is_listed(self):
        self.write("tools/a.cc", 'std::getenv("HOME"); std::getenv("LOCI_SECRET"); std::getenv(name);\n')
        self.assertEqual(self.messages(["tools/a.cc"]),
                         ["reads LOCI_SECRET, which tools/lint/settings_page.py does not list"])


if __name__ == "__main__":
    sys.exit(unittest.main())
