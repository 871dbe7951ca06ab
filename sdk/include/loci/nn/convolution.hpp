// Convolutions.
#pragma once

#include <array>
#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/parameter.hpp>
#include <loci/ops/window.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// conv2d(): [batch, in_channels, height, width] to [batch, out_channels, ...]. Parameters:
// "weight", [out_channels, in_channels / groups, height, width], xavier-initialised, and "bias",
// [out_channels], zeros.
class LOCI_PUBLIC Conv2d : public Module {
 public:
  // The kernel is [height, width].
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, std::array<std::int64_t, 2> kernel,
         Conv2dOptions options = {}, const ParameterOptions& parameters = {});
  // A square one.
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
         Conv2dOptions options = {}, const ParameterOptions& parameters = {})
      : Conv2d(in_channels, out_channels, std::array<std::int64_t, 2>{kernel, kernel},
               std::move(options), parameters) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Conv2d"; }
  [[nodiscard]] std::string arguments() const override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  // Undefined without one.
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }

 private:
  Conv2dOptions options_;
  Tensor weight_;
  Tensor bias_;
};

// conv2d_transpose(): [batch, in_channels, height, width] to [batch, out_channels, ...].
// Parameters: "weight", [in_channels, out_channels / groups, height, width], xavier-initialised,
// and "bias", [out_channels], zeros.
class LOCI_PUBLIC ConvTranspose2d : public Module {
 public:
  // The kernel is [height, width].
  ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels,
                  std::array<std::int64_t, 2> kernel, ConvTranspose2dOptions options = {},
                  const ParameterOptions& parameters = {});
  // A square one.
  ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
                  ConvTranspose2dOptions options = {}, const ParameterOptions& parameters = {})
      : ConvTranspose2d(in_channels, out_channels, std::array<std::int64_t, 2>{kernel, kernel},
                        std::move(options), parameters) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "ConvTranspose2d"; }
  [[nodiscard]] std::string arguments() const override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }
  // Undefined without one.
  [[nodiscard]] const Tensor& bias() const noexcept { return bias_; }

 private:
  ConvTranspose2dOptions options_;
  Tensor weight_;
  Tensor bias_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
