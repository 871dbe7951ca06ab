// Imperative code, and the program that it becomes.
//
//   build/release/bin/hybrid [ELEMENTS]      # 262144: of each tensor when memory is compared
//
// fancy_func is written once. Called with tensors it computes step by step; traced it becomes a
// program, which can be changed as a whole before it runs: with literals all of it folds to one
// constant, with inputs three additions stay, and its memory is planned. The program is saved as
// the directory fancy_func, so that it runs without this code:
//
//   loci run fancy_func --feed a=1 --feed b=2 --feed c=3 --feed d=4
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using loci::Tensor;
using Tensors = std::vector<Tensor>;

Tensor add(const Tensor& a, const Tensor& b) { return a + b; }

Tensor fancy_func(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
  const Tensor e = add(a, b);
  const Tensor f = add(c, d);
  return add(e, f);
}

Tensor number(double value) { return loci::full({1}, value); }

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Returns what a run computes of it, after the passes.
std::string rewritten(const loci::Traced& traced) {
  return loci::inspect::after_passes(traced.program, {traced.outputs.front()}).to_string();
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

// Operators of that type, by themselves and as steps of a fused one.
std::size_t count(const std::string& text, const std::string& type) {
  return occurrences(text, type + "(") + occurrences(text, '"' + type + '"');
}

void step_by_step() {
  const Tensor sum = fancy_func(number(1), number(2), number(3), number(4));
  std::printf("step by step: %g\n\n", static_cast<double>(sum.item<float>()));
  require(sum.item<float>() == 10, "1 + 2 + 3 + 4 is not 10");
}

void as_programs() {
  loci::TraceOptions names;
  names.input_names = {"a", "b", "c", "d"};
  names.output_names = {"g"};
  const auto with_inputs = [](const Tensors& in) -> Tensors {
    return {fancy_func(in[0], in[1], in[2], in[3])};
  };
  const auto with_literals = [](const Tensors&) -> Tensors {
    return {fancy_func(number(1), number(2), number(3), number(4))};
  };
  const Tensors example{number(0), number(0), number(0), number(0)};
  const loci::CompiledFunction compiled = loci::compile(with_inputs, example, names);
  const std::string inputs = rewritten(compiled.traced(example));
  const std::string literals = rewritten(loci::trace(with_literals, {}));
  std::printf("with inputs:\n%s\nwith literals:\n%s\n", inputs.c_str(), literals.c_str());
  require(count(inputs, "elementwise_add") == 3, "with inputs there are three additions");
  require(count(literals, "elementwise_add") == 0, "with literals there is nothing to add");

  const Tensor sum = compiled({number(1), number(2), number(3), number(4)}).front();
  require(sum.item<float>() == 10, "the program gives another sum");
  compiled.save("fancy_func");
}

// The most bytes that `work` holds beside those before; more than any work before it held.
template <class Work>
std::uint64_t peak(const Work& work) {
  loci::synchronize();
  const loci::MemoryUse before = loci::memory_use("cpu");
  work();
  loci::synchronize();
  const std::uint64_t after = loci::memory_use("cpu").peak_in_use;
  return after > before.peak_in_use ? after - before.in_use : 0;
}

Tensors chain(const Tensors& in, bool waits) {
  const Tensor e = add(in[0], in[1]);
  const Tensor f = add(in[2], in[3]);
  const Tensor g = loci::relu(e);
  const Tensor h = loci::relu(f);
  const Tensor sum = add(loci::sigmoid(g), loci::sigmoid(h));
  if (waits) loci::synchronize();
  return {sum};
}

// A function that waits for its work, as one that prints a value does, holds every named value
// until it returns; a program knows who reads them. So does what is only enqueued: its names are
// gone before it runs.
void memory(std::int64_t elements) {
  const Tensor x = loci::rand({elements});
  const Tensors inputs{x, x, x, x};
  const loci::CompiledFunction compiled =
      loci::compile([](const Tensors& in) { return chain(in, /*waits=*/false); }, inputs);
  // Each holds more than those before, which is what the peak can tell.
  const std::uint64_t traced = peak([&] { (void)compiled(inputs); });
  const std::uint64_t imperative = peak([&] { (void)chain(inputs, /*waits=*/true); });
  std::printf("peak memory: %.1f MiB step by step, %.1f MiB traced\n",
              static_cast<double>(imperative) / 1048576, static_cast<double>(traced) / 1048576);
  require(traced < imperative, "the program needs as much memory as the steps");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::int64_t elements = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 262144;
    if (elements < 1) throw std::invalid_argument("usage: hybrid [ELEMENTS]");
    step_by_step();
    as_programs();
    memory(elements);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hybrid: %s\n", error.what());
    return 1;
  }
}
