// Normalisations with a scale and a bias.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/parameter.hpp>
#include <loci/ops/normalization.hpp>
#include <loci/shape.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// layer_norm() over the last dimensions of x, which are `row`. Parameters: "weight", ones, and
// "bias", zeros, both [elements of a row].
class LOCI_PUBLIC LayerNorm : public Module {
 public:
  explicit LayerNorm(const Shape& row, double epsilon = 1e-5,
                     const ParameterOptions& parameters = {});
  explicit LayerNorm(std::int64_t features, double epsilon = 1e-5,
                     const ParameterOptions& parameters = {})
      : LayerNorm(Shape{features}, epsilon, parameters) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "LayerNorm"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  Shape row_;
  double epsilon_;
  Tensor weight_;
  Tensor bias_;
};

// batch_norm(): with the statistics of the batch, which change the running ones, in training, and
// with the running ones otherwise. Parameters: "weight", ones, and "bias", zeros; buffers: "mean",
// zeros at first, and "variance", ones. All are [channels]. `is_test` of the options is not used.
class LOCI_PUBLIC BatchNorm : public Module {
 public:
  explicit BatchNorm(std::int64_t channels, BatchNormOptions options = {},
                     const ParameterOptions& parameters = {});

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "BatchNorm"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  std::int64_t channels_;
  BatchNormOptions options_;
  Tensor weight_;
  Tensor bias_;
  Tensor mean_;
  Tensor variance_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
