// Modules keep parameters and buffers; an initializer gives each its first value.
#pragma once

#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <loci/program.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>
#include <optional>

namespace loci {
inline namespace v0 {
namespace nn {

// How a module makes its parameters. Where no initialiser is given, the module says which it takes.
struct ParameterOptions {
  DType dtype = kFloat32;
  bool bias = true;  // of modules that can do without
  std::optional<Initializer> weight_init = {};
  std::optional<Initializer> bias_init = {};
};

// A leaf that requires a gradient, at the innermost DeviceGuard's place, else on the host. Random
// numbers are those of loci/creation.hpp: after seed(s) the modules of a model draw what the layers
// of a program with that seed draw, if they are made in the same order. Throws
// Error(kInvalidArgument) for a dtype that is not floating.
LOCI_PUBLIC Tensor make_parameter(const Shape& shape, DType dtype, const Initializer& init);

// Makes a tensor as make_parameter() does, without a gradient, of any dtype: statistics, tables.
LOCI_PUBLIC Tensor make_buffer(const Shape& shape, DType dtype, const Initializer& init);

}  // namespace nn
}  // namespace v0
}  // namespace loci
