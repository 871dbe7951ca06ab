"""What the peers share that stay up: they say {"ready": true}, and then answer each line of JSON on
standard input by another.

{"time": NAME, "seconds": S}
    answers {"ns": the median time of a call in a stretch of about S seconds}
Anything else sets a case up, and is answered by {"peers": [NAME, ...], "absent": [WHY, ...]}.
"""

import json
import statistics
import sys
import time

# Why peers of the case are, as far as who sets it up says so.
absent = []

# None where it is not installed.
try:
    import torch

    torch.set_grad_enabled(False)
except ImportError:
    torch = None

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None

try:
    import openvino
except ImportError:
    openvino = None


def median_call_ns(call, seconds):
    call()
    times = []
    while sum(times) < seconds * 1e9:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def answer_questions(set_up):
    """`set_up` takes a question and gives the calls of its case, by peer."""
    print(json.dumps({"ready": True}), flush=True)
    calls = {}
    for line in sys.stdin:
        question = json.loads(line)
        if "time" in question:
            answer = {"ns": median_call_ns(calls[question["time"]], question["seconds"])}
        else:
            absent.clear()
            calls = set_up(question)
            answer = {"peers": list(calls), "absent": absent}
        print(json.dumps(answer), flush=True)


def onnx_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Its threads would go on spinning into the turn of others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def bound_call(session, inputs, output):
    """A call with bound inputs, by name, and output."""
    binding = session.io_binding()
    values = {k: onnxruntime.OrtValue.ortvalue_from_numpy(v) for k, v in inputs.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    binding.bind_output(output)

    def call(keep=values):
        session.run_with_iobinding(binding)

    return call


def openvino_call(model, threads, inputs):
    """A call of an ONNX model with bound inputs, by name, that computes in float32."""
    core = openvino.Core()
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = core.compile_model(
        core.read_model(model.SerializeToString()), "CPU", settings
    ).create_infer_request()
    for name, array in inputs.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
    return request.infer
