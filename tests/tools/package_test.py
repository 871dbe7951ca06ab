"""tools/package of a small build folder: a program, a library of the build and one of the system's."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools" / "package"
sys.path.insert(0, str(ROOT / "tools" / "packaging"))

import libraries  # noqa: E402


def compile_c(output, source, *options):
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-x", "c", "-", "-o", str(output), *options], input=source, text=True, check=True)


class Build:
    """bin/tool <- lib/libown.so.1 of the build, and libother.so.2, which lies elsewhere."""

    def __init__(self, path):
        self.path = Path(path)
        self.build = self.path / "build"
        self.elsewhere = self.path / "elsewhere" / "libother.so.2"
        compile_c(self.elsewhere, "int other(void) { return 40; }", "-shared", "-fPIC", "-g",
                  "-Wl,-soname,libother.so.2")
        own = self.build / "lib" / "libown.so.1"
        compile_c(own, "int own(void) { return 2; }", "-shared", "-fPIC", "-Wl,-soname,libown.so.1")
        self.tool = self.build / "bin" / "tool"
        compile_c(self.tool, "int own(void); int other(void); int main(void) { return own() + other(); }",
                  "-x", "none", str(own), str(self.elsewhere), "-Wl,--disable-new-dtags",
                  f"-Wl,-rpath,$ORIGIN/../lib:{self.elsewhere.parent}")
        data = self.build / "share" / "loci" / "gpu-suite"
        data.mkdir(parents=True)
        (data / "data.txt").write_text("data", encoding="utf-8")
        self.list_files(self.tool, own)

    def list_files(self, *files):
        (self.build / "package-files.txt").write_text("\n".join(map(str, files)) + "\n", encoding="utf-8")

    def package(self, *options, env=None):
        return subprocess.run([str(PACKAGE), "--build", str(self.build), *options], env=env,
                              capture_output=True, text=True)


class PackageTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.output = self.path / "out.tar.xz"
        self.made = Build(self.path)

    def unpack(self):
        done = self.made.package("--output", str(self.output))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.output}, ", done.stdout)
        there = self.path / "there"
        there.mkdir()
        subprocess.run(["tar", "-xf", str(self.output), "-C", str(there)], check=True)
        return next(there.iterdir())

    def test_it_runs_where_the_build_is_gone(self):
        folder = self.unpack()
        self.made.elsewhere.unlink()
        self.made.build.rename(self.path / "gone")
        done = subprocess.run([str(folder / "bin" / "tool")], env={}, capture_output=True)
        self.assertEqual(done.returncode, 42, done.stderr)

    def test_the_manifest_tells_each_file(self):
        folder = self.unpack()
        manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["name"], "loci")
        self.assertRegex(manifest["glibc"], r"^2\.\d+$")
        self.assertIn("libother.so.2", manifest["libraries"])
        self.assertNotIn("libc.so.6", manifest["libraries"])
        present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(present - {"MANIFEST.json"}, set(manifest["files"]))
        for name, told in manifest["files"].items():
            content = (folder / name).read_bytes()
            self.assertEqual(told, {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
        self.assertIn("share/loci/gpu-suite/data.txt", present)

    def test_nothing_for_debuggers_is_in_it(self):
        folder = self.unpack()
        for name in ("bin/tool", "lib/libother.so.2"):
            sections = subprocess.run(["readelf", "--sections", str(folder / name)],
                                      capture_output=True, text=True, check=True).stdout
            self.assertNotIn(".debug", sections)

    def test_the_same_files_give_the_same_archive(self):
        self.assertEqual(self.made.package("--output", str(self.output)).returncode, 0)
        first = self.output.read_bytes()
        self.assertEqual(self.made.package("--output", str(self.output)).returncode, 0)
        self.assertEqual(first, self.output.read_bytes())

    def assert_refused(self, text, code=1, output=None):
        done = self.made.package("--output", str(output or self.output))
        self.assertEqual(done.returncode, code, done.stdout)
        self.assertIn(text, done.stderr)
        self.assertFalse(self.output.exists())

    def test_what_is_missing_is_named(self):
        self.made.list_files(self.made.tool, self.made.build / "bin" / "absent")
        self.assert_refused("bin/absent")
        self.made.list_files(self.made.tool)
        self.made.elsewhere.unlink()
        self.assert_refused("needs libother.so.2, which is not found")
        (self.made.build / "package-files.txt").unlink()
        self.assert_refused("was it built with a CUDA toolkit")

    def with_xz(self, script):
        """The environment where xz does that, with a folder of its own for scratch."""
        programs = self.path / "programs"
        programs.mkdir()
        (programs / "xz").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (programs / "xz").chmod(0o755)
        self.scratch = self.path / "scratch"
        self.scratch.mkdir()
        return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(self.scratch)}

    def assert_nothing_left(self):
        self.assertEqual([], list(self.path.glob("out.tar.xz*")))
        self.assertEqual([], list(self.scratch.iterdir()))

    def test_a_full_disk_is_one_error(self):
        said = "xz: (stdout): Write error: No space left on device"
        environment = self.with_xz(f"echo '{said}' >&2; exit 1")
        done = self.made.package("--output", str(self.output), env=environment)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"package: {self.output}.part cannot be written: {said}\n")
        self.assert_nothing_left()

    def test_what_is_ended_leaves_nothing(self):
        environment = self.with_xz(f"touch '{self.path}/begun'; exec sleep 60")
        process = subprocess.Popen([str(PACKAGE), "--build", str(self.made.build), "--output",
                                    str(self.output)], env=environment)
        while not (self.path / "begun").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.terminate()
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)
        self.assert_nothing_left()

    def test_paths_may_have_spaces(self):
        self.made = Build(self.path / "a folder")
        self.output = self.path / "a folder" / "an archive.tar.xz"
        self.unpack()

    def test_without_its_programs_it_names_them(self):
        self.path.joinpath("none").mkdir()
        done = subprocess.run([sys.executable, str(PACKAGE), "--build", str(self.made.build)],
                              env={"PATH": str(self.path / "none")}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not found: ldd, readelf, strip, xz", done.stderr)

    def test_a_folder_is_no_archive(self):
        self.assert_refused("that is a folder", code=2, output=self.path)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_of_others_is_refused(self):
        self.assert_refused("nothing may be written into that folder", code=2, output=Path("/usr/out.tar.xz"))

    def test_a_folder_that_is_not_there_is_refused(self):
        self.assert_refused("there is no such folder", code=2, output=self.path / "absent" / "out.tar.xz")


class LibrariesTest(unittest.TestCase):
    def test_the_machine_brings_glibc_and_cuda(self):
        for soname in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libcuda.so.1",
                       "libcublasLt.so.13", "libcupti.so.13", "libdl.so.2"):
            self.assertTrue(libraries.is_of_the_machine(soname), soname)
        for soname in ("libstdc++.so.6", "libgcc_s.so.1", "libdnnl.so.2", "libgomp.so.1", "libcrypto.so.3",
                       "libmvec_other.so", "libcurl.so.4"):
            self.assertFalse(libraries.is_of_the_machine(soname), soname)

    def test_what_ldd_says(self):
        self.assertEqual(
            libraries.read_ldd("\tlinux-vdso.so.1 (0x1)\n\tliba.so.1 => /usr/lib/liba.so.1 (0x2)\n"
                               "\tlibb.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x3)\n"),
            {"liba.so.1": Path("/usr/lib/liba.so.1"), "libb.so": None})


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
