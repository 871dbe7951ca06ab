"""Trains programs that Loci has saved in PyTorch, as it is asked; see answering.py.

{"model": DIRECTORY, "input": FILE.npy, "threads": N, "rate": R, "out": FILE.npy}
    sets up a step, the loss being the mean of the squares of the result, and writes the losses of
    its first two runs
"""

import sys

import numpy
from answering import answer_questions, torch
from models import Program, TorchWriter


class Step:
    def __init__(self, question, compiles):
        program = Program(question["model"])
        writer = TorchWriter(program, trains=True)
        function = writer.function()
        scope = function.__globals__
        state = {
            operator.input(slot)
            for operator in program.operators
            if operator.kind == "batch_norm"
            for slot in ("mean", "variance")
        }
        names = [writer.names[name] for name in program.weights if name not in state]
        self.parameters = [scope[name].requires_grad_(True) for name in names]
        self.optimizer = torch.optim.SGD(self.parameters, question["rate"], foreach=True)
        self.x = torch.from_numpy(numpy.load(question["input"]))

        def loss(x):
            out = function(x)
            return (out * out).mean()

        self.loss = torch.compile(loss) if compiles else loss

    def __call__(self):
        with torch.enable_grad():
            self.optimizer.zero_grad()
            loss = self.loss(self.x)
            loss.backward()
            self.optimizer.step()
        return loss.item()


def set_up(question):
    """The calls of a case, by peer."""
    if torch is None:
        return {}
    torch.set_num_threads(question["threads"])
    eager = Step(question, compiles=False)
    numpy.save(question["out"], numpy.array([eager(), eager()]))
    calls = {"PyTorch": eager}
    # All losses have one code object, whose compiled forms are counted together: without this, later
    # cases are compiled for sizes that vary, and then not at all.
    torch._dynamo.reset()
    try:
        compiled = Step(question, compiles=True)
        compiled()
        calls["PyTorch compiled"] = compiled
    except Exception as error:
        print(f"training.py: PyTorch does not compile it: {error}", file=sys.stderr)
    return calls


answer_questions(set_up)
