"""The defaults of public functions, as the headers declare them, against those of the schemas.

usage: public_defaults_test.py LOCI, the runner, which tells the schemas.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[2] / "sdk" / "include" / "loci"

# Declarations whose bodies are elsewhere: the op that each calls, and the attribute that a parameter
# becomes where the two have different names.
DECLARED = {
    "control_flow.hpp": {"ScanOptions": ("scan", {})},
    "layers.hpp": {"layer_norm": ("layer_norm", {})},
    "nn/activation.hpp": {"GELU": ("gelu", {}), "Softmax": ("softmax", {})},
    "nn/dropout.hpp": {"Dropout": ("dropout", {})},
    "nn/flatten.hpp": {"Flatten": ("flatten", {})},
    "nn/normalization.hpp": {"LayerNorm": ("layer_norm", {})},
    "optimizer.hpp": {
        "MomentumOptions": ("momentum", {"momentum": "mu"}),
        "AdamOptions": ("adam", {}),
    },
}

# Parameters whose default is none of a schema, with the reason.
DIFFERENT = {
    ("conv2d_transpose", "bias"): "elementwise_add adds it",
    ("assign_value", "dtype"): "it follows the type of the elements, which a schema does not see",
    ("range", "step"): "it is the third of bounds, which are given together",
}

NAME = re.compile(r"\b(\w+)\(")
STRUCT = re.compile(r"\bstruct (\w+) \{(.*?)\n\};", re.DOTALL)
FIELD = re.compile(r"^\s*([\w:<>]+) (\w+)\s*(?:= (.*?)|(\{.*?\}));\s*$", re.MULTILINE)
CALL = re.compile(r"OpCall<\w+>(?: call)?\(\"(\w+)\"\)")
ATTRIBUTE = re.compile(r"[.]attr\(\"(\w+)\", (?:static_cast<[^()]*>\()?([\w.]+)\)")
INPUT = re.compile(r"[.]input\(\"(\w+)\", (\w+)\)")


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def block_at(text, start, brackets="{}"):
    """What is between the bracket before `start` and the one that closes it."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == brackets[0]) - (text[i] == brackets[1])
        if depth == 0:
            return text[start:i]
    raise ValueError("a bracket is not closed")


def functions_of(text):
    """(name, parameters, body) of those that have a body."""
    for match in NAME.finditer(text):
        parameters = block_at(text, match.end(), "()")
        end = match.end() + len(parameters) + 1
        brace = re.match(r"\s*\{", text[end:])
        if brace:
            yield match[1], split_parameters(parameters), block_at(text, end + brace.end())


def split_parameters(text):
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += {"(": 1, "{": 1, "<": 1, ")": -1, "}": -1, ">": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [part.strip() for part in [*parts, text[begin:]] if part.strip()]


def value_of(text):
    """A default as JSON of the schema has it; the text itself of what is no literal."""
    text = " ".join(text.split())
    if re.fullmatch(r"k[A-Z]\w+", text):
        return text[1:].lower()
    try:
        return json.loads(text.replace("{", "[").replace("}", "]"))
    except ValueError:
        return text


class Parameter:
    def __init__(self, text):
        head, _, default = text.partition("=")
        self.type, _, self.name = head.strip().rpartition(" ")
        self.default = value_of(default.strip()) if default else None


def fields_of(text):
    """{struct: {field: default}} of those that have one."""
    return {
        name: {
            field: value_of(plain or braced) for _, field, plain, braced in FIELD.findall(body)
        }
        for name, body in STRUCT.findall(text)
    }


class Comparison:
    """Of one header: `compared` are (op, attribute), `problems` are lines."""

    def __init__(self, text, schemas, declared=None):
        self.text = without_comments(text)
        self.schemas = schemas
        self.structs = fields_of(self.text)
        self.compared, self.problems = [], []
        self.excused = set()
        for function in functions_of(self.text):
            self.function(*function)
        for name, (op, names) in (declared or {}).items():
            self.declaration(name, op, names)

    def function(self, name, parameters, body):
        call = CALL.search(body)
        if not call:
            return
        inputs = dict((value, slot) for slot, value in INPUT.findall(body))
        attributes = dict((value, attribute) for attribute, value in ATTRIBUTE.findall(body))
        for parameter in map(Parameter, parameters):
            fields = self.structs.get(parameter.type.replace("const ", "").strip("& "))
            if parameter.name in inputs:
                self.input(name, call[1], inputs[parameter.name], parameter)
            elif fields is not None:
                for field, default in fields.items():
                    value = f"{parameter.name}.{field}"
                    self.attribute(name, call[1], attributes.get(value), value, default)
            elif parameter.default is not None:
                attribute = attributes.get(parameter.name)
                if (call[1], parameter.name) in DIFFERENT:
                    self.excused.add((call[1], parameter.name))
                else:
                    self.attribute(name, call[1], attribute, parameter.name, parameter.default)

    def declaration(self, name, op, names):
        defaults = dict(self.structs.get(name, {}))
        for match in re.finditer(rf"\b{name}\(", self.text):
            parameters = split_parameters(block_at(self.text, match.end(), "()"))
            for parameter in map(Parameter, parameters):
                if parameter.default is not None:
                    defaults[parameter.name] = parameter.default
        known = {attribute["name"] for attribute in self.schemas[op]["attributes"]}
        compared = {names.get(field, field): default for field, default in defaults.items()}
        if not known & set(compared):
            self.problems.append(f"{name}: no default of it is an attribute of {op}")
        for attribute in sorted(known & set(compared)):
            self.attribute(name, op, attribute, attribute, compared[attribute])

    def input(self, function, op, slot, parameter):
        if parameter.default is None:
            return
        arity = next(i["arity"] for i in self.schemas[op]["inputs"] if i["name"] == slot)
        self.compared.append((op, slot))
        if arity == "required":
            self.problems.append(f"{function}: {slot} may be left out, and {op} requires it")

    def attribute(self, function, op, attribute, value, default):
        spec = next((a for a in self.schemas[op]["attributes"] if a["name"] == attribute), None)
        if spec is None:
            self.problems.append(f"{function}: no attribute of {op} is read from {value}")
            return
        self.compared.append((op, attribute))
        if spec["required"] or spec["default"] != default:
            of_schema = "none" if spec["required"] else json.dumps(spec["default"])
            self.problems.append(
                f"{function}: {value} is {json.dumps(default)}, and {op}.{attribute} {of_schema}")


SAMPLE = """
struct Options {
  std::vector<std::int64_t> steps{1, 1};  // one; two
  std::string mode = "a";
};
template <class V>
LOCI_OP V sample(const V& x, const Options& options = {}, int axis = -1, const V& y = {}) {
  return OpCall<V>("op").input("x", x).input("y", y).attr("steps", options.steps)
      .attr("mode", options.mode).attr("axis", static_cast<std::int64_t>(axis)).result();
}
class Module {
  explicit Module(int line = -1, double other = 2);
};
"""


def sample_schema(**changes):
    defaults = {"steps": [1, 1], "mode": "a", "axis": -1, **changes}
    attributes = [{"name": n, "required": d is None, "default": d} for n, d in defaults.items()]
    inputs = [{"name": "x", "arity": "required"}, {"name": "y", "arity": "optional"}]
    return {"op": {"attributes": attributes, "inputs": inputs}}


class ComparisonTest(unittest.TestCase):
    def test_finds_parameters_fields_and_inputs(self):
        found = Comparison(SAMPLE, sample_schema(), {"Module": ("op", {"line": "axis"})})
        self.assertEqual(found.problems, [])
        names = sorted(name for _, name in found.compared)
        self.assertEqual(names, ["axis", "axis", "mode", "steps", "y"])

    def test_tells_a_default_that_differs_on_either_side(self):
        self.assertEqual(Comparison(SAMPLE, sample_schema(axis=0)).problems,
                         ["sample: axis is -1, and op.axis 0"])
        self.assertEqual(Comparison(SAMPLE, sample_schema(mode=None)).problems,
                         ['sample: options.mode is "a", and op.mode none'])
        changed = SAMPLE.replace("{1, 1}", "{2, 1}")
        self.assertEqual(Comparison(changed, sample_schema()).problems,
                         ["sample: options.steps is [2, 1], and op.steps [1, 1]"])

    def test_tells_what_is_not_read_or_not_optional(self):
        unread = SAMPLE.replace('.attr("mode", options.mode)', "")
        self.assertEqual(Comparison(unread, sample_schema()).problems,
                         ["sample: no attribute of op is read from options.mode"])
        schemas = sample_schema()
        schemas["op"]["inputs"][1]["arity"] = "required"
        self.assertEqual(Comparison(SAMPLE, schemas).problems,
                         ["sample: y may be left out, and op requires it"])

    def test_a_declaration_has_an_attribute_in_common(self):
        self.assertEqual(Comparison(SAMPLE, sample_schema(), {"Module": ("op", {})}).problems,
                         ["Module: no default of it is an attribute of op"])


class PublicDefaultsTest(unittest.TestCase):
    loci = ""

    def test_headers_and_schemas_have_the_same_defaults(self):
        told = subprocess.run([self.loci, "ops", "--json"],
                              capture_output=True, text=True, check=True)
        schemas = {op["name"]: op for op in json.loads(told.stdout)["ops"]}
        problems, compared, excused = [], set(), set()
        files = [f"ops/{path.name}" for path in sorted((HEADERS / "ops").glob("*.hpp"))]
        for name in [*files, *DECLARED]:
            found = Comparison((HEADERS / name).read_text(), schemas, DECLARED.get(name))
            problems += [f"{name}: {problem}" for problem in found.problems]
            compared |= set(found.compared)
            excused |= found.excused
        self.assertEqual(problems, [])
        self.assertEqual(excused, set(DIFFERENT))
        self.assertLessEqual({("dropout", "p"), ("conv2d", "strides"), ("momentum", "mu"),
                              ("layer_norm", "scale"), ("gaussian_random", "dtype")}, compared)


if __name__ == "__main__":
    PublicDefaultsTest.loci = sys.argv.pop(1)
    unittest.main()
