// Kernels of 32 bits for elements of 16 or 8, which are all converted in the workspace: where there
// is so much to compute that converting does not count, or elements are needed in no order of rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <utility>

namespace loci::kernels {

// How many arguments an op has, of one to each slot.
struct ArgumentCounts {
  std::uint32_t inputs;
  std::uint32_t outputs = 1;
};

// Where in a workspace those arguments of an op that have the dtype of its first input are as 32
// bits (narrow_elements.h). Immutable; any number of threads may convert at once.
class WideArguments {
 public:
  static constexpr std::size_t kMost = 6;  // inputs, and outputs

  // Inputs whose bit in `as_given` is set are not converted, nor those without data. The first
  // `own_bytes` of the workspace are the kernel's.
  WideArguments(const sdk::Host& host, const sdk::OpDesc& op, ArgumentCounts counts,
                std::uint64_t own_bytes, std::uint32_t as_given = 0);

  [[nodiscard]] std::uint64_t workspace_bytes() const { return bytes_; }

  // Calls body(launch) with the converted arguments, and converts its outputs.
  template <class Body>
  void run(const sdk::Launch& launch, const Body& body) const {
    Views views;
    const loci_launch wide = widen_inputs(launch, &views);
    body(sdk::Launch(wide));
    narrow_outputs(launch);
  }

 private:
  struct Views {
    std::array<loci_view, 2 * kMost> wide;
    std::array<const loci_view*, kMost> inputs;
    std::array<const loci_view*, kMost> outputs;
  };
  struct Argument {
    std::int64_t count = 0;  // elements; 0 for what is not converted
    std::uint64_t offset = 0;
  };

  void reserve(Argument* argument, const sdk::Arg& described);
  const loci_view* wide_view(const sdk::Launch& launch, const loci_view* view,
                             const Argument& argument, loci_view* wide) const;
  loci_launch widen_inputs(const sdk::Launch& launch, Views* views) const;
  void narrow_outputs(const sdk::Launch& launch) const;

  const sdk::Host* host_;
  loci_dtype dtype_;
  ArgumentCounts counts_;
  std::uint64_t bytes_;
  std::array<Argument, kMost> inputs_;
  std::array<Argument, kMost> outputs_;
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
void emplace_widened(sdk::Prepare& prepare, ArgumentCounts counts, std::uint64_t own_bytes,
                     Kernel kernel, std::uint32_t as_given = 0) {
  WideArguments arguments(prepare.host(), prepare.op(), counts, own_bytes, as_given);
  prepare.set_workspace(arguments.workspace_bytes());
  prepare.emplace<Widened<Kernel>>(std::move(arguments), std::move(kernel));
}

}  // namespace loci::kernels
