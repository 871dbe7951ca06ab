// dropout() as a module.
#pragma once

#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// In training, each element is 0 with probability p, and what stays is divided by 1 - p; otherwise
// the result is x itself.
class LOCI_PUBLIC Dropout : public Module {
 public:
  // Throws Error(kInvalidArgument) unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5);

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Dropout"; }
  [[nodiscard]] std::string arguments() const override;
  [[nodiscard]] double p() const noexcept { return p_; }

 private:
  double p_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci
