"""Times single ops in PyTorch, ONNX Runtime and OpenVINO, as it is asked; see answering.py.

{"inputs": [FILE.npy, ...], "constants": N, "torch": EXPRESSION, "onnx": EXPRESSION, "threads": N,
 "out": FILE.npy}
    sets a case up and writes PyTorch's result; the last inputs, as many as there are constants,
    never change
"""

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

NAMES = ("x", "y", "z")


def torch_call(expression, arrays):
    names = {"torch": torch, "F": torch.nn.functional}
    names.update(zip(NAMES, map(torch.from_numpy, arrays)))
    return eval(f"lambda: {expression}", names)


def node(kind, inputs, **attributes):
    return onnx.helper.make_node(kind, inputs, ["out"], **attributes)


def split_constants(arrays, constants):
    """Inputs by name, and those that never change, which belong to the model."""
    named = dict(zip(NAMES, arrays))
    held = {name: named.pop(name) for name in list(named)[len(arrays) - constants :]}
    return named, held


def onnx_model(expression, named, held, expected):
    kinds = {
        name: onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        for name, array in named.items()
    }
    inputs = [
        onnx.helper.make_tensor_value_info(name, kinds[name], array.shape)
        for name, array in named.items()
    ]
    weights = [onnx.numpy_helper.from_array(array, name) for name, array in held.items()]
    kind = onnx.helper.np_dtype_to_tensor_dtype(expected.dtype)
    output = onnx.helper.make_tensor_value_info("out", kind, expected.shape)
    nodes = eval(expression, {"node": node, "onnx": onnx})
    graph = onnx.helper.make_graph(nodes, "kernel", inputs, [output], weights)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    return model


def onnx_calls(question, arrays, expected):
    """Calls of ONNX's peers, with bound inputs and output and all optimisations."""
    named, held = split_constants(arrays, question["constants"])
    model = onnx_model(question["onnx"], named, held, expected)
    threads = question["threads"]
    calls = {"ONNX Runtime": lambda: bound_call(onnx_session(model, threads), named, "out")}
    if openvino is not None:
        calls["OpenVINO"] = lambda: openvino_call(model, threads, named)
    return calls


def set_up(question):
    """The calls of a case, by peer."""
    arrays = [numpy.load(path) for path in question["inputs"]]
    calls = {}
    expected = None
    if torch is not None:
        torch.set_num_threads(question["threads"])
        calls["PyTorch"] = torch_call(question["torch"], arrays)
        expected = calls["PyTorch"]().numpy()
        numpy.save(question["out"], expected)
    if onnxruntime is None or expected is None or not question["onnx"]:
        return calls
    for name, make in onnx_calls(question, arrays, expected).items():
        try:
            call = make()
            call()
            calls[name] = call
        except Exception as error:
            print(f"kernels.py: {name}: {question['onnx']}: {error}", file=sys.stderr)
    return calls


answer_questions(set_up)
