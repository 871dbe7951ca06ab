// A chain of elementwise steps as the source of a kernel of its own.
//
// The kernel is made for the chain's steps and types and for how its inputs repeat, not for sizes
// and constants, which are parameters: chains that differ in those alone have the same source. Its
// parameters are, in this order: the count of elements; the FusedAxes, if has_axes; the constants,
// each in the first bytes of its slot; the addresses of the inputs; those of the outputs.
#pragma once

#include <cstdint>
#include <loci/plugin/fused_elementwise.hpp>
#include <string>
#include <vector>

#include "kernels/fused_elementwise/fused_program.h"

namespace loci::cuda {

struct FusedSource {
  std::string name;  // of the kernel: "fused_mul_gelu"
  std::string text;
  int lanes;  // elements that a thread computes at once
  bool has_axes;
  std::vector<std::uint64_t> constants;
  // True if the kernel calls functions whose bits are those of one version of CUDA's mathematics.
  bool has_mathematics;
};

// `program` is what compile_fused() made of the expression, and has elements.
FusedSource write_fused_source(const FusedProgram& program, const sdk::FusedExpression& expression);

}  // namespace loci::cuda
