"""Times single ops in PyTorch and ONNX Runtime, as it is asked: a line of JSON on standard input
is answered by one on standard output.

{"inputs": [FILE.npy, ...], "torch": EXPRESSION, "onnx": EXPRESSION, "threads": N, "out": FILE.npy}
    sets a case up and writes PyTorch's result; answers {"peers": [NAME, ...]}
{"time": NAME, "seconds": S}
    answers {"ns": the median time of a call in a stretch of about S seconds}
"""

import json
import statistics
import sys
import time

import numpy

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

try:
    import onnx
    import onnxruntime
except ImportError:
    onnxruntime = None

NAMES = ("x", "y", "z")


def torch_call(expression, arrays):
    names = {"torch": torch, "F": F}
    names.update(zip(NAMES, map(torch.from_numpy, arrays)))
    return eval(f"lambda: {expression}", names)


def node(kind, inputs, **attributes):
    return onnx.helper.make_node(kind, inputs, ["out"], **attributes)


def onnx_call(expression, arrays, expected, threads):
    """A call with bound inputs and output, all optimisations."""
    kinds = {
        name: onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        for name, array in zip(NAMES, arrays)
    }
    inputs = [
        onnx.helper.make_tensor_value_info(name, kinds[name], array.shape)
        for name, array in zip(NAMES, arrays)
    ]
    kind = onnx.helper.np_dtype_to_tensor_dtype(expected.dtype)
    output = onnx.helper.make_tensor_value_info("out", kind, expected.shape)
    nodes = eval(expression, {"node": node})
    graph = onnx.helper.make_graph(nodes, "kernel", inputs, [output])
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Its threads would go on spinning into the turn of others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays]
    for name, value in zip(NAMES, values):
        binding.bind_ortvalue_input(name, value)
    binding.bind_output("out")

    def call():
        session.run_with_iobinding(binding)

    return call


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
                question["onnx"], arrays, expected, question["threads"]
            )
            calls["ONNX Runtime"]()
        except Exception as error:
            calls.pop("ONNX Runtime", None)
            print(f"kernels.py: {question['onnx']}: {error}", file=sys.stderr)
    return calls


def median_call_ns(call, seconds):
    call()
    times = []
    while sum(times) < seconds * 1e9:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def main():
    calls = {}
    if torch is not None:
        torch.set_grad_enabled(False)
    for line in sys.stdin:
        question = json.loads(line)
        if "time" in question:
            answer = {"ns": median_call_ns(calls[question["time"]], question["seconds"])}
        else:
            calls = set_up(question)
            answer = {"peers": list(calls)}
        print(json.dumps(answer), flush=True)


main()
