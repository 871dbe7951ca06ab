// Kernels of 32 bits for elements of 16 or 8, which are converted in the workspace: where there is
// so much to compute that converting does not count, and the wide ones have the faster loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <utility>

namespace loci::kernels {

// Where in a workspace the arguments of an op are as 32 bits: float32 for float16 and bfloat16,
// uint32 for integers, of which the result keeps the lower bits. Inputs have one slot each, of one
// dtype, and there is one output. Immutable; any number of threads may convert at once.
class WideArguments {
 public:
  static constexpr std::size_t kMostInputs = 3;

  // The op has that many inputs; those whose bit in `as_given` is set are not converted, nor those
  // without data. The first `own_bytes` of the workspace are the kernel's.
  WideArguments(const sdk::Host& host, const sdk::OpDesc& op, std::uint32_t inputs,
                std::uint64_t own_bytes, std::uint32_t as_given = 0);

  [[nodiscard]] std::uint64_t workspace_bytes() const { return bytes_; }

  // Calls body(launch) with the converted arguments, and converts its output.
  template <class Body>
  void run(const sdk::Launch& launch, const Body& body) const {
    Views views;
    const loci_launch wide = widen_inputs(launch, &views);
    body(sdk::Launch(wide));
    narrow_output(launch);
  }

 private:
  static constexpr std::size_t kOutput = kMostInputs;
  struct Views {
    std::array<loci_view, kMostInputs + 1> wide;
    std::array<const loci_view*, kMostInputs> inputs;
    const loci_view* output;
  };
  struct Argument {
    std::int64_t count = 0;  // elements; 0 for what is not converted
    std::uint64_t offset = 0;
  };

  void reserve(Argument* argument, const sdk::Arg& described);
  void widen_input(const sdk::Launch& launch, std::uint32_t index) const;
  loci_launch widen_inputs(const sdk::Launch& launch, Views* views) const;
  loci_view wide_view(const sdk::Launch& launch, const loci_view& view,
                      const Argument& argument) const;
  void narrow_output(const sdk::Launch& launch) const;

  const sdk::Host* host_;
  loci_dtype dtype_;
  std::uint32_t inputs_;
  std::uint64_t bytes_;
  std::array<Argument, kMostInputs + 1> arguments_;
};

// `kernel` is a prepared one for elements of 32 bits.
template <class Kernel>
struct Widened {
  void launch(const sdk::Launch& launch) const {
    arguments.run(launch, [&](const sdk::Launch& wide) { kernel.launch(wide); });
  }
  WideArguments arguments;
  Kernel kernel;
};

// Prepares such a kernel; `own_bytes` is the workspace that it needs itself.
template <class Kernel>
void emplace_widened(sdk::Prepare& prepare, std::uint32_t inputs, std::uint64_t own_bytes,
                     Kernel kernel, std::uint32_t as_given = 0) {
  WideArguments arguments(prepare.host(), prepare.op(), inputs, own_bytes, as_given);
  prepare.set_workspace(arguments.workspace_bytes());
  prepare.emplace<Widened<Kernel>>(std::move(arguments), std::move(kernel));
}

}  // namespace loci::kernels
