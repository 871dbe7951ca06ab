// Products with a matrix.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/parameter.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// x * weight + bias over the last dimension of x: [..., in_features] to [..., out_features].
// Parameters: "weight", [in_features, out_features] as layers::fc() has it, xavier-initialised, and
// "bias", [out_features], zeros.
class LOCI_PUBLIC Linear : public Module {
 public:
  Linear(std::int64_t in_features, std::int64_t out_features, const ParameterOptions& options = {});

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Linear"; }
  [[nodiscard]] std::string arguments() const override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  // Undefined without one.
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }

 private:
  std::int64_t in_features_;
  std::int64_t out_features_;
  Tensor weight_;
  Tensor bias_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
