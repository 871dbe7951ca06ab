"""Times a range of PyTorch's profiler, off and on; prints one JSON object.

usage: torch_record_function.py RANGES
"""

import json
import statistics
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function


def median_ns(ranges, repetitions=11):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        for _ in range(ranges):
            with record_function("relu"):
                pass
        times.append((time.perf_counter_ns() - start) / ranges)
    return statistics.median(times)


def main():
    ranges = int(sys.argv[1])
    torch.set_num_threads(1)
    off = median_ns(ranges)
    with profile(activities=[ProfilerActivity.CPU]):
        on = median_ns(ranges, repetitions=5)
    print(json.dumps({"off_ns": off, "on_ns": on}))


main()
