// Gradients of imperative code. See also Tensor::backward().
#pragma once

#include <loci/export.hpp>
#include <loci/tensor.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// The gradients of the sum of `outputs`, each weighted with its element of `weights` (1 where that
// is undefined or the list is empty; such an output has one element), for each of `inputs`;
// undefined where the outputs do not depend on it. Leaves no gradient in any tensor.
LOCI_PUBLIC std::vector<Tensor> grad(const std::vector<Tensor>& outputs,
                                     const std::vector<Tensor>& inputs,
                                     const std::vector<Tensor>& weights = {},
                                     bool retain_graph = false, bool create_graph = false);

// Returns true while the current thread records gradients; it does at first.
[[nodiscard]] LOCI_PUBLIC bool is_grad_enabled();

// Sets that while it lives.
class LOCI_PUBLIC GradMode {
 public:
  explicit GradMode(bool enabled);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool previous_;
};

// Nothing is recorded while it lives.
class NoGrad : GradMode {
 public:
  NoGrad() : GradMode(false) {}
};

// Calls `fn` without recording gradients.
template <class Fn>
decltype(auto) no_grad(const Fn& fn) {
  const NoGrad scope;
  return fn();
}

}  // namespace v0
}  // namespace loci
