#!/usr/bin/env python3
"""Writes random functions as a header that nvcc and g++ both compile.

usage: random_kernels.py SEED COUNT > HEADER

Each is `void random_<n>(const std::uint32_t* in, std::uint32_t* out, std::uint32_t thread)`: straight
lines, branches and loops of unequal length over integers and floats, with nothing that C++ leaves to
the compiler. What comes out has to be equal bit for bit.
"""

import random
import sys

INTEGERS = 6
FLOATS = 5
DEPTH = 3

BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}",
          "{a} << ({b} & 31u)", "{a} >> ({b} & 31u)", "divided({a}, {b})", "remainder({a}, {b})",
          "signed_less({a}, {b}) ? {a} : {b}", "({a} < {b} ? {b} : {a})", "high_product({a}, {b})",
          "signed_shift({a}, {b})", "rotated({a}, {b})"]
UNARY = ["~{a}", "0u - {a}", "bytes_swapped({a})", "bits_of({f})", "low_bits({a})", "truncated({f})"]
FLOAT_BINARY = ["{f} + {g}", "{f} - {g}", "{f} * {g}", "{f} / {g}", "std::fma({f}, {g}, {h})",
                "({f} < {g} ? {f} : {g})"]
FLOAT_UNARY = ["-{f}", "std::fabs({f})", "static_cast<float>({a})",
               "static_cast<float>(static_cast<std::int32_t>({a}))", "std::sqrt(std::fabs({f}))",
               "as_float({a})"]
CONDITIONS = ["{a} < {b}", "signed_less({a}, {b})", "{f} < {g}", "{f} == {g}", "({a} & 5u) == 1u",
              "!({f} <= {g})"]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0

    def names(self):
        """Different ones, for compilers know what comes of comparing a value with itself."""
        first, second = self.random.sample(range(INTEGERS), 2)
        f, g, h = self.random.sample(range(FLOATS), 3)
        return {"a": f"i{first}", "b": self.constant() or f"i{second}",
                "f": f"f{f}", "g": f"f{g}", "h": f"f{h}"}

    def constant(self):
        if self.random.random() < 0.3:
            return f"{self.random.choice([1, 3, 31, 255, 65537, 0x80000000, 0xffffffff])}u"
        return None

    def emit(self, depth, text):
        self.lines.append("  " * (depth + 1) + text)

    def assignment(self, depth):
        if self.random.random() < 0.6:
            form = self.random.choice(BINARY if self.random.random() < 0.75 else UNARY)
            self.emit(depth, f"i{self.random.randrange(INTEGERS)} = {form.format(**self.names())};")
        else:
            form = self.random.choice(FLOAT_BINARY if self.random.random() < 0.7 else FLOAT_UNARY)
            target = f"f{self.random.randrange(FLOATS)}"
            self.emit(depth, f"{target} = {form.format(**self.names())};")

    def block(self, depth, count):
        for _ in range(count):
            draw = self.random.random()
            if depth >= DEPTH or draw < 0.7:
                self.assignment(depth)
            elif draw < 0.88:
                condition = self.random.choice(CONDITIONS).format(**self.names())
                self.emit(depth, f"if ({condition}) {{")
                self.block(depth + 1, self.random.randint(1, 4))
                if self.random.random() < 0.5:
                    self.emit(depth, "} else {")
                    self.block(depth + 1, self.random.randint(1, 4))
                self.emit(depth, "}")
            else:
                self.loop(depth)

    def loop(self, depth):
        name = f"n{self.loops}"
        self.loops += 1
        bound = self.names()["a"]
        self.emit(depth, f"for (std::uint32_t {name} = {bound} % 7u; {name} > 0u; --{name}) {{")
        self.block(depth + 1, self.random.randint(1, 4))
        if self.random.random() < 0.4:
            condition = self.random.choice(CONDITIONS).format(**self.names())
            self.emit(depth + 1, f"if ({condition}) {self.random.choice(['break', 'continue'])};")
            self.assignment(depth + 1)
        self.emit(depth, "}")

    def function(self, number):
        self.lines = [f"LOCI_EVERYWHERE inline void random_{number}(const std::uint32_t* in, "
                      "std::uint32_t* out, std::uint32_t thread) {"]
        for i in range(INTEGERS):
            self.emit(0, f"std::uint32_t i{i} = in[(thread * {2 * i + 1}u + {i}u) % kInputs];")
        for i in range(FLOATS):
            self.emit(0, f"float f{i} = as_float(in[(thread + {7 * i}u) % kInputs]);")
        self.block(0, 40)
        for i in range(INTEGERS):
            self.emit(0, f"out[thread * kOutputs + {i}u] = i{i};")
        for i in range(FLOATS):
            self.emit(0, f"out[thread * kOutputs + {INTEGERS + i}u] = bits_of(f{i});")
        self.lines.append("}")
        return "\n".join(self.lines)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print('// Written by random_kernels.py.\n#include "random_operations.h"\n')
    for number in range(count):
        print(Writer(seed * 1000 + number).function(number) + "\n")
    calls = " ".join(f"case {n}: random_{n}(in, out, thread); break;" for n in range(count))
    print("LOCI_EVERYWHERE inline void run_random(int which, const std::uint32_t* in, "
          "std::uint32_t* out, std::uint32_t thread) {")
    print(f"  switch (which) {{ {calls} default: break; }}\n}}")
    print(f"constexpr int kRandomKernels = {count};")


main()
