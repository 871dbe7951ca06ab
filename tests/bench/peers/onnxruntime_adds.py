"""Times ONNX Runtime on a chain of one-element adds; prints nanoseconds as one JSON object.

usage: onnxruntime_adds.py NODES REPETITIONS
"""

import json
import statistics
import sys
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper


def session(nodes):
    """A session with `nodes` adds of two inputs, one thread, all optimisations."""
    steps = [
        helper.make_node("Add", [f"v{i}", "y"], [f"v{i + 1}"]) for i in range(nodes)
    ]
    one = [1]
    graph = helper.make_graph(
        steps,
        "adds",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, one) for n in ("v0", "y")],
        [helper.make_tensor_value_info(f"v{nodes}", TensorProto.FLOAT, one)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def median_ns(nodes, repetitions):
    """The median time of a run with bound inputs and outputs."""
    ort = session(nodes)
    binding = ort.io_binding()
    for name in ("v0", "y"):
        binding.bind_cpu_input(name, numpy.ones(1, numpy.float32))
    binding.bind_output(f"v{nodes}")
    calls = max(1, 20000 // nodes)
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        for _ in range(calls):
            ort.run_with_iobinding(binding)
        times.append((time.perf_counter_ns() - start) / calls)
    return statistics.median(times)


def main():
    nodes, repetitions = int(sys.argv[1]), int(sys.argv[2])
    chain, single = median_ns(nodes, repetitions), median_ns(1, repetitions)
    print(json.dumps({"per_node": (chain - single) / (nodes - 1), "run": single}))


if __name__ == "__main__":
    main()
