"""Which shared libraries ELF files need, where they lie, and which of them a machine brings itself."""

import re
import subprocess
from pathlib import Path

# glibc's, which has to be that of the machine, and CUDA's, which come with its driver and toolkit.
_OF_THE_MACHINE = re.compile(
    r"(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util|anl|BrokenLocale|mvec)"
    r"|lib(cuda|cudart|cublas|cublasLt|cupti|cudnn|nvrtc|nvidia-\w+))[.-]")
_LINE = re.compile(r"^\s+(\S.*?) => (?:(/.*?)(?: \(0x|$)|(not found))")
_VERSION = re.compile(r"\bGLIBC_(\d+)\.(\d+)")


class MissingLibrary(RuntimeError):
    pass


def is_of_the_machine(soname):
    return _OF_THE_MACHINE.match(soname) is not None


def read_ldd(text):
    """Of ldd's output: soname -> path, or None where it is not found."""
    found = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            found[Path(match[1]).name] = Path(match[2]) if match[2] else None
    return found


def needed_libraries(files):
    """soname -> path of all that the files need, directly or not, and a machine does not bring."""
    needed = {}
    for file in files:
        listed = subprocess.run(["ldd", str(file)], capture_output=True, text=True)
        for soname, path in read_ldd(listed.stdout).items():
            if is_of_the_machine(soname):
                continue
            if path is None:
                raise MissingLibrary(f"{file} needs {soname}, which is not found")
            needed[soname] = path
    return needed


def newest_glibc(files):
    """The newest version of glibc whose symbols the files need, such as "2.34"."""
    newest = (0, 0)
    for file in files:
        symbols = subprocess.run(["readelf", "--version-info", "--wide", str(file)],
                                 capture_output=True, text=True).stdout
        for major, minor in _VERSION.findall(symbols):
            newest = max(newest, (int(major), int(minor)))
    return f"{newest[0]}.{newest[1]}"


def package_of(path):
    """Name and version of the distribution's package that has the file; None without dpkg."""
    for candidate in (path, path.resolve(), Path("/usr") / path.relative_to("/")):
        try:
            owner = subprocess.run(["dpkg-query", "--search", str(candidate)],
                                   capture_output=True, text=True)
        except FileNotFoundError:
            return None
        if owner.returncode == 0:
            name = owner.stdout.split(":")[0]
            version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", name],
                                     capture_output=True, text=True)
            return name, version.stdout.split("\n")[0]
    return None
