// flatten() as a module.
#pragma once

#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// A matrix: the first `axis` dimensions of x are its rows.
class LOCI_PUBLIC Flatten : public Module {
 public:
  explicit Flatten(int axis = 1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Flatten"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  int axis_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
