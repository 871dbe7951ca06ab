// Layers: ops together with the parameters that they need.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace layers {

// x * weight + bias for x flattened to [rows, inputs] at axis 1; weight: [inputs, size], bias:
// [size]. `name` becomes the prefix of the parameters, "<name>.weight" and "<name>.bias"; an empty
// one becomes unique.
LOCI_PUBLIC Variable fc(const Variable& x, std::int64_t size, const std::string& name = {});

// conv2d with a square filter [filters, channels / groups, size, size] and a bias [filters].
LOCI_PUBLIC Variable conv2d(const Variable& x, std::int64_t filters, std::int64_t size,
                            const Conv2dOptions& options = {}, const std::string& name = {});

// embedding() of a table "<name>.weight", [rows, width] = `size`, xavier-initialised.
LOCI_PUBLIC Variable embedding(const Variable& ids, const Shape& size,
                               const EmbeddingOptions& options = {}, DType dtype = kFloat32,
                               const std::string& name = {});

// layer_norm() with a scale "<name>.weight" of ones and a bias "<name>.bias" of zeros, one for each
// element of a row.
LOCI_PUBLIC Variable layer_norm(const Variable& x, int begin_norm_axis = 1, double epsilon = 1e-5,
                                const std::string& name = {});

// batch_norm() with a scale "<name>.weight" of ones and a bias "<name>.bias" of zeros, one for each
// channel, and the running statistics "<name>.mean", zeros at first, and "<name>.variance", ones.
LOCI_PUBLIC Variable batch_norm(const Variable& x, const BatchNormOptions& options = {},
                                const std::string& name = {});

}  // namespace layers
}  // namespace v0
}  // namespace loci
