"""Times products in PyTorch on the first CUDA device; prints microseconds per product as one JSON
object, by type and sizes: {"float32_4096_4096_4096": 1234.5}; "tf32" are products of float32 that
may use it.

usage: torch_cuda.py [M N K]...
"""

import json
import statistics
import sys
import time

import torch

ROUNDS = 15
TURN_SECONDS = 0.02


def seconds_per_call(call, count):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count


def median_us(call):
    seconds_per_call(call, 3)
    count = max(3, min(10_000, int(TURN_SECONDS / seconds_per_call(call, 3))))
    return 1e6 * statistics.median(seconds_per_call(call, count) for _ in range(ROUNDS))


def main():
    numbers = [int(text) for text in sys.argv[1:]]
    times = {}
    for name in ("float32", "tf32", "float16", "bfloat16"):
        dtype = torch.float32 if name == "tf32" else getattr(torch, name)
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        for m, n, k in zip(numbers[0::3], numbers[1::3], numbers[2::3]):
            x = torch.randn(m, k, device="cuda").to(dtype)
            y = torch.randn(k, n, device="cuda").to(dtype)
            times[f"{name}_{m}_{n}_{k}"] = median_us(lambda: x @ y)
    print(json.dumps(times))


main()
