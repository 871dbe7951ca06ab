"""Times a training step of a sparse embedding in PyTorch, one thread; prints one JSON object.

usage: torch_embedding.py ROWS WIDTH IDS REPETITIONS
"""

import json
import statistics
import sys
import time

import torch


def main():
    rows, width, count, repetitions = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    table = torch.nn.Embedding(rows, width, sparse=True)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.001)
    label = torch.full((count, width), 0.5)
    times = []
    for _ in range(repetitions):
        ids = torch.randint(rows, (count,))
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        out = torch.nn.functional.normalize(table(ids), dim=-1)
        torch.nn.functional.mse_loss(out, label).backward()
        optimizer.step()
        times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"step_us": statistics.median(times)}))


main()
