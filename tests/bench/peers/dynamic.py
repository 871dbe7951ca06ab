"""Runs a program with dynamic dimensions that Loci has saved in ONNX Runtime, at one size after
another; answers each line of JSON on standard input by another.

{"model": DIRECTORY, "threads": N}
    opens a session, for which every size is new, and answers {"peers": [NAME, ...]}
{"input": FILE.npy, "runs": N, "out": FILE.npy}
    answers {"first_us": the first run with that input, "steady_us": the median of N more}, and
    writes the result
{"sizes": [[N, ...], ...], "before": N}
    runs all sizes; answers {"mib": by how much resident memory has grown since the first N,
    "us": the mean time of a run}
"""

import json
import os
import statistics
import sys
import time

import numpy
from answering import onnx_session, onnxruntime
from models import OnnxWriter, Program


def resident_mib():
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / (1 << 20)


class Session:
    def __init__(self, question):
        program = Program(question["model"])
        self.session = onnx_session(OnnxWriter(program).model(), question["threads"])
        self.argument = program.argument

    def run_us(self, array):
        start = time.perf_counter_ns()
        self.result = self.session.run(None, {self.argument: array})[0]
        return (time.perf_counter_ns() - start) / 1000

    def time_size(self, question):
        array = numpy.load(question["input"])
        first = self.run_us(array)
        steady = [self.run_us(array) for _ in range(question["runs"])]
        numpy.save(question["out"], self.result)
        return {"first_us": first, "steady_us": statistics.median(steady)}

    def run_sizes(self, question):
        times = []
        before = 0
        for i, size in enumerate(question["sizes"]):
            if i == question["before"]:
                before = resident_mib()
            times.append(self.run_us(numpy.full(size, 0.5, numpy.float32)))
        return {"mib": resident_mib() - before, "us": statistics.fmean(times)}


def main():
    print(json.dumps({"ready": True}), flush=True)
    session = None
    for line in sys.stdin:
        question = json.loads(line)
        if "model" in question:
            session = None if onnxruntime is None else Session(question)
            answer = {"peers": [] if session is None else ["ONNX Runtime"]}
        elif "input" in question:
            answer = session.time_size(question)
        else:
            answer = session.run_sizes(question)
        print(json.dumps(answer), flush=True)


main()
