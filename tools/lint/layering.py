"""Who may include whom: the arrows of the architecture, read from the #include lines."""

import re

from source_files import Finding

# Folder of framework/ -> the folders that it stands on. What these stand on is included.
ARROWS = {
    "core": [],
    "profiler": ["core"],
    "plugin": ["core", "profiler"],
    "device": ["plugin"],
    "device_graph": ["device"],
    "memory": ["device"],
    "tensor": ["memory"],
    "transfer": ["tensor"],
    "ops": ["plugin"],
    "dispatch": ["ops", "device"],
    "program": ["ops"],
    "passes": ["program"],
    "autograd": ["program"],
    "execution": ["dispatch", "transfer", "program", "device_graph"],
    "planning": ["execution", "passes"],
    "executor": ["planning"],
    "eager": ["dispatch", "transfer", "autograd"],
    "optimizer": ["eager"],
    "capture": ["executor", "eager", "tracing"],
    "parallel": ["executor", "eager"],
    "io": ["program"],
    "nn": ["eager", "io"],
    "tracing": ["eager", "io"],
    "reporting": ["device"],
}
# What speaks the C ABI: the adapters, and what hands its views and handles on.
ABI_FOLDERS = {"core", "profiler", "plugin", "device", "device_graph", "memory", "tensor", "transfer", "ops",
               "program", "dispatch", "execution", "planning", "eager", "capture", "reporting"}
# Headers of the author SDK that stand on nothing, for what the core and plugins both do.
SHARED_SDK_HEADERS = {"loci/plugin/cache_folder.hpp", "loci/plugin/elementwise_functions.hpp",
                      "loci/plugin/fusable_ops.hpp", "loci/plugin/pad.hpp",
                      "loci/plugin/range.hpp", "loci/plugin/slice.hpp",
                      "loci/plugin/terminal_text.hpp", "loci/plugin/window.hpp"}
# What a header of the SDK may call of the system, whose files the standard library does not reach.
SYSTEM_HEADERS = {"plugin/cache_folder.hpp": ("fcntl.h", "sys/stat.h", "unistd.h")}
# Plugins to copy, each with a test that is an application.
TEMPLATES = {"template", "template_capturer", "template_op", "template_queued",
             "template_reporter"}
TEMPLATE_TESTS = {"plugin_test.cc"}
# What a capturer knows of its device's plugin: the functions behind its native handles.
DRIVER_HEADERS = {"cuda_graph": ("plugins/cuda/graph_trace.h", "plugins/cuda/stream_recording.h"),
                  "sim_graph": ("plugins/sim/graph_driver.h",)}
# Sources that several plugins link; they are part of the plugins, not of the core.
SHARED_PLUGIN_FOLDERS = {"kernels", "report_data", "report_text"}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_DEPENDS = re.compile(r"\bDEPENDS\s+([\w\s]+?)(?=\s+[A-Z_]+\b|\s*\))")
_OWN_TREES = ("framework/", "plugins/", "tools/", "tests/", "examples/")


def reachable(folder):
    """The folder and all that it stands on."""
    result = {folder}
    for below in ARROWS.get(folder, []):
        result |= reachable(below)
    return result


def refusal(path, include):
    """Why the file at this path may not include that header; None if it may."""
    if include.startswith(".") or "/../" in include:
        return "a relative include; name it from the root of the repository"
    top, *rest = path.parts
    if top == "framework" and len(rest) > 1:
        return _framework_refusal(rest[0], include)
    if top == "plugins" and len(rest) > 1:
        if path.name in TEMPLATE_TESTS and rest[0] in TEMPLATES:
            return _consumer_refusal("plugins/" + rest[0], include)
        return _plugin_refusal(rest[0], include)
    if top == "examples" or path.parts[:2] == ("tools", "loci"):
        # The runner has the conformance suite behind `loci verify`.
        if path.parts[0] == "tools" and include.startswith("tools/conformance/"):
            return None
        return _consumer_refusal("/".join(path.parts[:2]), include)
    if path.parts[:3] == ("sdk", "include", "loci"):
        return _sdk_refusal(path.parts[3], "/".join(path.parts[3:]), include)
    return None


def _framework_refusal(folder, include):
    if folder not in ARROWS:
        return f"framework/{folder} has no place in the layering; see ARROWS in tools/lint/layering.py"
    parts = include.split("/")
    if parts[0] == "framework":
        allowed = reachable(folder)
        return None if parts[1] in allowed else f"framework/{folder} does not stand on {parts[1]}"
    if include.startswith("loci/plugin/") and include not in SHARED_SDK_HEADERS:
        return "the author SDK is for plugins"
    if include.startswith("loci/abi/") and folder not in ABI_FOLDERS:
        return f"framework/{folder} is above the C ABI"
    return "the core includes nothing above it" if include.startswith(_OWN_TREES) else None


def _plugin_refusal(folder, include):
    if include.startswith("loci/"):
        allowed = include.startswith(("loci/abi/", "loci/plugin/"))
        return None if allowed else "a plugin includes loci/abi and loci/plugin only"
    own = {f"plugins/{name}/" for name in SHARED_PLUGIN_FOLDERS | {folder}}
    if include in DRIVER_HEADERS.get(folder, ()):
        return None
    if include.startswith(_OWN_TREES) and not include.startswith(tuple(own)):
        return "a plugin includes its own files only"
    return None


def _consumer_refusal(own, include):
    if include.startswith(_OWN_TREES) and not include.startswith(own + "/"):
        return f"{own} includes installed headers only"
    return None


def _sdk_refusal(part, name, include):
    if part == "abi":
        if include in ("stdint.h", "stddef.h") or include.startswith("loci/abi/"):
            return None
        return "the C ABI includes stdint.h, stddef.h and itself only"
    own = ("loci/abi/", "loci/plugin/") if part == "plugin" else ("loci/",)
    is_standard = "/" not in include and "." not in include
    if is_standard or include.startswith(own) or include in SYSTEM_HEADERS.get(name, ()):
        return None
    return "an SDK header includes the SDK and the standard library only"


def check(root, sources):
    for path in sources:
        text = (root / path).read_text(encoding="utf-8")
        for match in _INCLUDE.finditer(text):
            include = match.group(1) or match.group(2)
            reason = refusal(path, include)
            if reason:
                line = text.count("\n", 0, match.start()) + 1
                yield Finding(str(path), line, f"includes {include}: {reason}")
    yield from _check_cmake(root)


def _check_cmake(root):
    """The DEPENDS of a component give its headers' visibility, so they follow the arrows too."""
    for folder in ARROWS:
        path = root / "framework" / folder / "CMakeLists.txt"
        match = _DEPENDS.search(path.read_text(encoding="utf-8")) if path.is_file() else None
        for name in match.group(1).split() if match else []:
            if name not in reachable(folder):
                yield Finding(f"framework/{folder}/CMakeLists.txt", 1,
                              f"DEPENDS {name}: framework/{folder} does not stand on it")
