"""Times fresh processes that load a small convolutional model with ONNX Runtime and run it once,
from the import to the first result; prints milliseconds as one JSON object.

usage: onnxruntime_startup.py MODEL REPETITIONS      (writes MODEL)
"""

import json
import statistics
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

CHILD = """
import time
start = time.perf_counter()
import numpy, onnxruntime
session = onnxruntime.InferenceSession({path!r}, providers=["CPUExecutionProvider"])
session.run(None, {{"image": numpy.zeros((10, 1, 8, 8), numpy.float32)}})
print((time.perf_counter() - start) * 1e3)
"""


def write_model(path):
    """3x3 convolution to 16 channels, relu, 2x2 max pool, 10 classes, softmax."""
    random = numpy.random.default_rng(0)

    def weights(name, *shape):
        values = random.standard_normal(shape).astype(numpy.float32)
        return numpy_helper.from_array(values, name)

    steps = [
        helper.make_node("Conv", ["image", "k"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "w", "b"], ["g"]),
        helper.make_node("Softmax", ["g"], ["out"]),
    ]
    graph = helper.make_graph(
        steps,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 1, 8, 8])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 10])],
        [weights("k", 16, 1, 3, 3), weights("w", 256, 10), weights("b", 10)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


def main():
    path, repetitions = sys.argv[1], int(sys.argv[2])
    write_model(path)
    command = [sys.executable, "-c", CHILD.format(path=path)]
    times = [float(subprocess.check_output(command)) for _ in range(repetitions)]
    print(json.dumps({"first_result_ms": statistics.median(times)}))


main()
