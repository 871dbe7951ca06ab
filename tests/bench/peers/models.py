"""Times programs that Loci has saved in PyTorch, ONNX Runtime and OpenVINO, as it is asked; see
answering.py.

{"model": DIRECTORY, "input": FILE.npy, "threads": N, "out": FILE.npy}
    sets a program of one input and one result up and writes PyTorch's result
"""

import json
import pathlib
import sys

import numpy
from answering import (
    answer_questions,
    bound_call,
    onnx,
    onnx_session,
    onnxruntime,
    openvino,
    openvino_call,
    torch,
)

DTYPES = {"F32": numpy.float32, "I64": numpy.int64, "BF16": numpy.uint16}


def load_safetensors(path):
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:end]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        flat = numpy.frombuffer(content[end + first : end + last], DTYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            # numpy has none. As the upper half of a float32 it is the same number.
            flat = (flat.astype(numpy.uint32) << 16).view(numpy.float32)
        tensors[name] = flat.reshape(entry["shape"]).copy()
    return tensors


class Operator:
    def __init__(self, written):
        self.kind = written["type"]
        self.inputs = written["inputs"]
        self.outputs = written["outputs"]
        self.attributes = {
            name: next(iter(value.values())) for name, value in written["attributes"].items()
        }

    def has(self, slot):
        return bool(self.inputs.get(slot))

    def input(self, slot="x"):
        return self.inputs[slot][0]

    def output(self):
        return next(iter(self.outputs.values()))[0]

    def __getitem__(self, attribute):
        return self.attributes[attribute]


class Program:
    def __init__(self, directory):
        folder = pathlib.Path(directory)
        written = json.loads((folder / "program.json").read_text())
        main = written["main"]
        self.weights = load_safetensors(folder / written["weights"]["file"])
        self.operators = [Operator(each) for each in main["operators"]]
        self.shapes = {v["name"]: v["shape"] for v in main["variables"]}
        self.argument = main["arguments"][0]
        self.result = main["results"][0]


class TorchWriter:
    """A Python function of a program: a line for each operator.

    Saved programs are those of inference; with `trains` they normalise by the batch again.
    """

    def __init__(self, program, trains=False):
        self.program = program
        self.trains = trains
        self.names = {name: f"w{i}" for i, name in enumerate(program.weights)}
        self.names[program.argument] = "x"

    # `place` puts a weight where the function runs.
    def function(self, place=lambda weight: weight):
        lines = [self.line(operator) for operator in self.program.operators]
        result = self.names[self.program.result]
        source = "def run(x):\n" + "\n".join(f"    {line}" for line in lines)
        scope = {"torch": torch, "F": torch.nn.functional}
        for name, value in self.program.weights.items():
            scope[self.names[name]] = place(torch.from_numpy(value))
        exec(f"{source}\n    return {result}", scope)
        return scope["run"]

    def line(self, operator):
        expression = getattr(self, operator.kind)(operator)
        name = self.names.setdefault(operator.output(), f"v{len(self.names)}")
        return f"{name} = {expression}"

    def of(self, operator, slot="x"):
        return self.names[operator.input(slot)] if operator.has(slot) else "None"

    def conv2d(self, op):
        top, left = op["paddings"][0], op["paddings"][-1]
        return (
            f"F.conv2d({self.of(op)}, {self.of(op, 'filter')}, {self.of(op, 'bias')}, "
            f"{op['strides']}, [{top}, {left}], {op['dilations']}, {op['groups']})"
        )

    def batch_norm(self, op):
        return (
            f"F.batch_norm({self.of(op)}, {self.of(op, 'mean')}, {self.of(op, 'variance')}, "
            f"{self.of(op, 'scale')}, {self.of(op, 'bias')}, {self.trains}, {1 - op['momentum']}, "
            f"{op['epsilon']})"
        )

    def layer_norm(self, op):
        shape = self.program.shapes[op.input()][op["begin_norm_axis"] :]
        return (
            f"F.layer_norm({self.of(op)}, {shape}, {self.of(op, 'scale')}, "
            f"{self.of(op, 'bias')}, {op['epsilon']})"
        )

    def pool2d(self, op):
        if op["global_pooling"]:
            return f"F.adaptive_avg_pool2d({self.of(op)}, 1)"
        kind = "max_pool2d" if op["pooling_type"] == "max" else "avg_pool2d"
        return f"F.{kind}({self.of(op)}, {op['ksize']}, {op['strides']}, {op['paddings']})"

    def matmul(self, op):
        sides = [
            self.of(op, slot) + (".mT" if op[f"transpose_{slot}"] else "") for slot in ("x", "y")
        ]
        return " @ ".join(sides)

    # By weights of rank 2, over the last dimension of x.
    def mul(self, op):
        return f"{self.of(op)} @ {self.of(op, 'y')}"

    def elementwise_add(self, op):
        return f"{self.of(op)} + {self.of(op, 'y')}"

    def elementwise_mul(self, op):
        return f"{self.of(op)} * {self.of(op, 'y')}"

    def clip(self, op):
        return f"torch.clamp({self.of(op)}, {op['min']}, {op['max']})"

    def hard_sigmoid(self, op):
        return f"F.hardsigmoid({self.of(op)})"

    def hard_swish(self, op):
        return f"F.hardswish({self.of(op)})"

    def concat(self, op):
        parts = ", ".join(self.names[name] for name in op.inputs["x"])
        return f"torch.cat([{parts}], {op['axis']})"

    def relu(self, op):
        return f"torch.relu({self.of(op)})"

    def gelu(self, op):
        return f"F.gelu({self.of(op)}, approximate={'tanh' if op['approximate'] else 'none'!r})"

    def softmax(self, op):
        return f"torch.softmax({self.of(op)}, {op['axis']})"

    def attention(self, op):
        heads = [
            f"{self.of(op, slot)}.unflatten(-1, ({op['heads']}, -1)).transpose(1, 2)"
            for slot in ("query", "key", "value")
        ]
        seen = (
            f"F.scaled_dot_product_attention({', '.join(heads)}, "
            f"attn_mask={self.of(op, 'mask')}, scale={op['factor'] or None})"
        )
        return f"{seen}.transpose(1, 2).flatten(2)"

    def scale(self, op):
        return f"{self.of(op)} * {op['scale']} + {op['bias']}"

    def transpose(self, op):
        return f"{self.of(op)}.permute({op['perm']})"

    def reshape(self, op):
        return f"{self.of(op)}.reshape({self.program.shapes[op.output()]})"

    flatten = reshape


class OnnxWriter:
    def __init__(self, program):
        self.program = program
        self.nodes = []
        self.values = dict(program.weights)

    def model(self):
        for operator in self.program.operators:
            getattr(self, operator.kind)(operator)
        program = self.program
        ends = [
            onnx.helper.make_tensor_value_info(name, 1, self.declared(name))
            for name in (program.argument, program.result)
        ]
        weights = [onnx.numpy_helper.from_array(v, k) for k, v in self.values.items()]
        graph = onnx.helper.make_graph(self.nodes, "model", ends[:1], ends[1:], weights)
        opsets = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("com.microsoft", 1)]
        model = onnx.helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 9
        return model

    # Extents that the program leaves open have names.
    def declared(self, name):
        shape = self.program.shapes[name]
        return [f"{name}.{i}" if extent == -1 else extent for i, extent in enumerate(shape)]

    def node(self, kind, op, *inputs, **attributes):
        self.nodes.append(onnx.helper.make_node(kind, inputs, [op.output()], **attributes))

    def constant(self, op, array):
        name = f"{op.output()}.{len(self.values)}"
        self.values[name] = array
        return name

    def conv2d(self, op):
        top, left = op["paddings"][0], op["paddings"][-1]
        inputs = [op.input(slot) for slot in ("x", "filter", "bias") if op.has(slot)]
        self.node(
            "Conv",
            op,
            *inputs,
            strides=op["strides"],
            pads=[top, left, top, left],
            dilations=op["dilations"],
            group=op["groups"],
        )

    def batch_norm(self, op):
        slots = ("x", "scale", "bias", "mean", "variance")
        inputs = [op.input(slot) for slot in slots]
        self.node("BatchNormalization", op, *inputs, epsilon=op["epsilon"])

    def layer_norm(self, op):
        inputs = [op.input(slot) for slot in ("x", "scale", "bias")]
        axis = op["begin_norm_axis"]
        self.node("LayerNormalization", op, *inputs, axis=axis, epsilon=op["epsilon"])

    def pool2d(self, op):
        if op["global_pooling"]:
            return self.node("GlobalAveragePool", op, op.input())
        kind = "MaxPool" if op["pooling_type"] == "max" else "AveragePool"
        self.node(
            kind,
            op,
            op.input(),
            kernel_shape=op["ksize"],
            strides=op["strides"],
            pads=op["paddings"] * 2,
        )

    def matmul(self, op):
        inputs = []
        for slot in ("x", "y"):
            name = op.input(slot)
            if op[f"transpose_{slot}"]:
                rank = len(self.program.shapes[name])
                turned = f"{op.output()}.{slot}"
                perm = [*range(rank - 2), rank - 1, rank - 2]
                self.nodes.append(
                    onnx.helper.make_node("Transpose", [name], [turned], perm=perm)
                )
                name = turned
            inputs.append(name)
        self.node("MatMul", op, *inputs)

    def mul(self, op):
        self.node("MatMul", op, op.input(), op.input("y"))

    def elementwise_add(self, op):
        self.node("Add", op, op.input(), op.input("y"))

    def elementwise_mul(self, op):
        self.node("Mul", op, op.input(), op.input("y"))

    def clip(self, op):
        ends = [self.constant(op, numpy.array(op[end], numpy.float32)) for end in ("min", "max")]
        self.node("Clip", op, op.input(), *ends)

    def hard_sigmoid(self, op):
        self.node("HardSigmoid", op, op.input(), alpha=1 / 6, beta=0.5)

    def hard_swish(self, op):
        self.node("HardSwish", op, op.input())

    def concat(self, op):
        self.node("Concat", op, *op.inputs["x"], axis=op["axis"])

    def relu(self, op):
        self.node("Relu", op, op.input())

    def tanh(self, op):
        self.node("Tanh", op, op.input())

    def gelu(self, op):
        kind = "tanh" if op["approximate"] else "none"
        self.node("Gelu", op, op.input(), approximate=kind)

    def softmax(self, op):
        self.node("Softmax", op, op.input(), axis=op["axis"])

    # By the operator of ONNX Runtime's own, which is its fastest.
    def attention(self, op):
        if op.has("mask"):
            raise NotImplementedError("attention with a mask")
        inputs = [op.input(slot) for slot in ("query", "key", "value")]
        scale = {"scale": op["factor"]} if op["factor"] else {}
        self.node(
            "MultiHeadAttention",
            op,
            *inputs,
            domain="com.microsoft",
            num_heads=op["heads"],
            **scale,
        )

    def scale(self, op):
        if op["scale"] != 1 and op["bias"] != 0:
            raise NotImplementedError("scale with a bias")
        kind, amount = ("Mul", op["scale"]) if op["bias"] == 0 else ("Add", op["bias"])
        self.node(kind, op, op.input(), self.constant(op, numpy.array(amount, numpy.float32)))

    def transpose(self, op):
        self.node("Transpose", op, op.input(), perm=op["perm"])

    def reshape(self, op):
        shape = numpy.array(self.program.shapes[op.output()], numpy.int64)
        self.node("Reshape", op, op.input(), self.constant(op, shape))

    flatten = reshape


class StandardOnnxWriter(OnnxWriter):
    """Writes operators of the standard alone, which every reader of ONNX knows."""

    def step(self, kind, op, *inputs, **attributes):
        name = f"{op.output()}.{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    # The form that OpenVINO recognises as one attention.
    def attention(self, op):
        if op.has("mask"):
            raise NotImplementedError("attention with a mask")
        split = self.constant(op, numpy.array([0, 0, op["heads"], -1], numpy.int64))
        joined = self.constant(op, numpy.array([0, 0, -1], numpy.int64))
        width = self.program.shapes[op.input("query")][-1] // op["heads"]
        factor = self.constant(op, numpy.array(op["factor"] or width**-0.5, numpy.float32))

        def heads(slot, perm):
            rows = self.step("Reshape", op, op.input(slot), split)
            return self.step("Transpose", op, rows, perm=perm)

        query, key = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1])
        scores = self.step("Mul", op, self.step("MatMul", op, query, key), factor)
        weights = self.step("Softmax", op, scores, axis=-1)
        seen = self.step("MatMul", op, weights, heads("value", [0, 2, 1, 3]))
        turned = self.step("Transpose", op, seen, perm=[0, 2, 1, 3])
        self.node("Reshape", op, turned, joined)


def set_up(question):
    """The calls of a case, by peer."""
    program = Program(question["model"])
    array = numpy.load(question["input"])
    calls = {}
    if torch is None:
        return calls
    torch.set_num_threads(question["threads"])
    function = TorchWriter(program).function()
    x = torch.from_numpy(array)
    numpy.save(question["out"], function(x).numpy())
    calls["PyTorch"] = lambda: function(x)
    try:
        compiled = torch.compile(function)
        compiled(x)
        calls["PyTorch compiled"] = lambda: compiled(x)
    except Exception as error:
        print(f"models.py: PyTorch does not compile it: {error}", file=sys.stderr)
    if onnxruntime is not None:
        session = onnx_session(OnnxWriter(program).model(), question["threads"])
        calls["ONNX Runtime"] = bound_call(session, {program.argument: array}, program.result)
    if onnx is not None and openvino is not None:
        try:
            model = StandardOnnxWriter(program).model()
            inputs = {program.argument: array}
            calls["OpenVINO"] = openvino_call(model, question["threads"], inputs)
        except Exception as error:
            print(f"models.py: OpenVINO does not take it: {error}", file=sys.stderr)
    return calls


if __name__ == "__main__":
    answer_questions(set_up)
