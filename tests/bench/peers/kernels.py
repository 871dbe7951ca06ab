"""Times single ops in PyTorch and ONNX Runtime, as it is asked; see answering.py.

{"inputs": [FILE.npy, ...], "constants": N, "torch": EXPRESSION, "onnx": EXPRESSION, "threads": N,
 "out": FILE.npy}
    sets a case up and writes PyTorch's result; the last inputs, as many as there are constants,
    never change
"""

import sys

import numpy
from answering import answer_questions, bound_call, onnx, onnx_session, onnxruntime, torch

NAMES = ("x", "y", "z")


def torch_call(expression, arrays):
    names = {"torch": torch, "F": torch.nn.functional}
    names.update(zip(NAMES, map(torch.from_numpy, arrays)))
    return eval(f"lambda: {expression}", names)


def node(kind, inputs, **attributes):
    return onnx.helper.make_node(kind, inputs, ["out"], **attributes)


def onnx_call(expression, arrays, constants, expected, threads):
    """A call with bound inputs and output, all optimisations; constants belong to the model."""
    named = dict(zip(NAMES, arrays))
    held = {name: named.pop(name) for name in list(named)[len(arrays) - constants :]}
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
    nodes = eval(expression, {"node": node})
    graph = onnx.helper.make_graph(nodes, "kernel", inputs, [output], weights)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    session = onnx_session(model, threads)
    return bound_call(session, named, "out")


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
    if onnxruntime is not None and expected is not None and question["onnx"]:
        try:
            calls["ONNX Runtime"] = onnx_call(
                question["onnx"],
                arrays,
                question["constants"],
                expected,
                question["threads"],
            )
            calls["ONNX Runtime"]()
        except Exception as error:
            calls.pop("ONNX Runtime", None)
            print(f"kernels.py: {question['onnx']}: {error}", file=sys.stderr)
    return calls


answer_questions(set_up)
