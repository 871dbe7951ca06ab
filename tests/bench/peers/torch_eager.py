"""Times small additions and a chain of products in PyTorch, one thread; prints nanoseconds per op
as one JSON object.

usage: torch_eager.py ADDITIONS PRODUCTS REPETITIONS
"""

import json
import statistics
import sys
import time

import torch


def median_ns(body, ops, repetitions):
    body()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        body()
        times.append((time.perf_counter_ns() - start) / ops)
    return statistics.median(times)


def additions(size, count):
    x = torch.ones(size)

    def body():
        for _ in range(count):
            _ = x + x

    return body


def product_chain(x, y, count):
    value = x
    for _ in range(count):
        value = value * y
    return value


def chain_with_gradient(count):
    x = torch.ones(1, requires_grad=True)
    y = torch.ones(1)

    def body():
        x.grad = None
        product_chain(x, y, count).backward()

    return body


def main():
    count, products, repetitions = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    one = torch.ones(1)
    figures = {
        "add_ns": median_ns(additions(1, count), count, repetitions),
        "add_1024_ns": median_ns(additions(1024, count), count, repetitions),
        "chain_ns": median_ns(
            lambda: product_chain(one, one, products), products, repetitions
        ),
        "chain_gradient_ns": median_ns(
            chain_with_gradient(products), products, repetitions
        ),
    }
    print(json.dumps(figures))


main()
