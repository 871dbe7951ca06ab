"""Times programs that Loci has saved in PyTorch on a CUDA device, as it is asked; see answering.py.

{"model": DIRECTORY, "input": FILE.npy, "dtype": "float32" | "bfloat16", "device": "cuda" | "cpu",
 "out": FILE.npy}
    sets a program of one input and one result up and writes PyTorch's result, as float32; on the
    CPU only eager PyTorch is there, for its result
Each call that is timed is waited for.
"""

from answering import absent, answer_questions, torch

try:
    import models
    import numpy
except ImportError:
    models = numpy = None


def waited_for(call):
    def run():
        call()
        torch.cuda.synchronize()

    return run


def captured(function, x):
    """A replay of the function's launches."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function(x)

    # What the graph reads and writes lives as long as it.
    def replay(keep=(result, x)):
        graph.replay()

    return replay


def compiled(function, x, **options):
    run = torch.compile(function, **options)
    for _ in range(3):
        run(x)
    return lambda: run(x)


# What sets a call up, by peer.
WAYS = {
    "PyTorch": lambda function, x: lambda: function(x),
    "PyTorch, CUDA graph": captured,
    "PyTorch compiled": compiled,
    "PyTorch compiled, CUDA graphs": lambda function, x: compiled(
        function, x, mode="reduce-overhead"
    ),
}


def calls_on_cuda(function, x):
    calls = {}
    for peer, set_up_call in WAYS.items():
        try:
            call = waited_for(set_up_call(function, x))
            call()
            calls[peer] = call
        except Exception as error:
            absent.append(f"{peer}: {str(error).strip().splitlines()[0]}")
    return calls


def set_up(question):
    """The calls of a case, by peer."""
    device = question["device"]
    if torch is None or models is None:
        absent.append("PyTorch: this Python lacks torch or numpy")
        return {}
    if device == "cuda" and not torch.cuda.is_available():
        absent.append(f"PyTorch {torch.__version__} finds no CUDA device")
        return {}
    dtype = getattr(torch, question["dtype"])
    program = models.Program(question["model"])
    function = models.TorchWriter(program).function(lambda weight: weight.to(device, dtype))
    x = torch.from_numpy(numpy.load(question["input"])).to(device, dtype)
    numpy.save(question["out"], function(x).float().cpu().numpy())
    return calls_on_cuda(function, x) if device == "cuda" else {"PyTorch": lambda: function(x)}


answer_questions(set_up)
