// Each optimizer with its options, and steps of tensors with gradients.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <memory>
#include <vector>

namespace loci::optimizer {

using Make = std::function<std::unique_ptr<Optimizer>()>;

inline std::vector<Make> optimizers() {
  MomentumOptions nesterov;
  nesterov.use_nesterov = true;
  nesterov.lazy_mode = true;
  AdamOptions decaying;
  decaying.weight_decay = 0.01;
  AdamOptions lazy;
  lazy.lazy_mode = true;
  return {[] { return std::make_unique<SGD>(0.1); },
          [] { return std::make_unique<Momentum>(0.1); },
          [=] { return std::make_unique<Momentum>(0.1, nesterov); },
          [] { return std::make_unique<Adam>(0.1); },
          [=] { return std::make_unique<Adam>(0.1, decaying); },
          [=] { return std::make_unique<Adam>(0.1, lazy); }};
}

inline Tensor leaf(const std::vector<float>& elements) {
  const Tensor made = Tensor::from(elements, {static_cast<std::int64_t>(elements.size())});
  made.set_requires_grad();
  return made;
}

inline void step_with_gradients(Optimizer& optimizer, const std::vector<Tensor>& parameters) {
  Optimizer::zero_grad(parameters);
  for (const Tensor& parameter : parameters) reduce_sum(square(parameter)).backward();
  optimizer.step(parameters);
  Optimizer::zero_grad(parameters);
}

}  // namespace loci::optimizer
