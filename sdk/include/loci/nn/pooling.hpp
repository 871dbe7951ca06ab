// Pooling over windows.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <loci/ops/window.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// pool2d() as modules; `pooling_type` of the options is theirs to set.
class LOCI_PUBLIC MaxPool2d : public Module {
 public:
  explicit MaxPool2d(Pool2dOptions options);
  // Square windows side by side.
  explicit MaxPool2d(std::int64_t size = 2);

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "MaxPool2d"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  Pool2dOptions options_;
};

class LOCI_PUBLIC AvgPool2d : public Module {
 public:
  explicit AvgPool2d(Pool2dOptions options);
  explicit AvgPool2d(std::int64_t size = 2);

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "AvgPool2d"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  Pool2dOptions options_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
