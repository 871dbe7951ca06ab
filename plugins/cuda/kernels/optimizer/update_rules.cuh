// The rules of optimizers: what becomes of an element of a parameter and its states, given its
// gradient.
#pragma once

#include "kernels/device/elements.cuh"
#include "kernels/optimizer/update_arguments.h"

namespace loci::cuda {

template <class T>
struct Sgd {
  using C = computed_t<T>;
  static constexpr int kStates = 0;

  __device__ explicit Sgd(const UpdateArguments& arguments)
      : rate(static_cast<C>(*arguments.rate)) {}
  __device__ C operator()(C param, C grad, C& /*first*/, C& /*second*/) const {
    return param - rate * grad;
  }
  C rate;
};

// velocity = mu velocity + g; param -= rate velocity, or with Nesterov's look-ahead
// param -= rate (g + mu velocity).
template <class T>
struct Momentum {
  using C = computed_t<T>;
  static constexpr int kStates = 1;

  __device__ explicit Momentum(const UpdateArguments& arguments)
      : rate(static_cast<C>(*arguments.rate)),
        mu(static_cast<C>(arguments.beta1)),
        looks_ahead(arguments.looks_ahead) {}
  __device__ C operator()(C param, C grad, C& velocity, C& /*second*/) const {
    velocity = mu * velocity + grad;
    return param - rate * (looks_ahead ? grad + mu * velocity : velocity);
  }
  C rate;
  C mu;
  bool looks_ahead;
};

// This is the portable kernel's rule: Kingma and Ba, 2015, with decoupled decay.
template <class T>
struct Adam {
  using C = computed_t<T>;
  static constexpr int kStates = 2;

  __device__ explicit Adam(const UpdateArguments& arguments)
      : beta1(static_cast<C>(arguments.beta1)),
        beta2(static_cast<C>(arguments.beta2)),
        other1(static_cast<C>(1 - arguments.beta1)),
        other2(static_cast<C>(1 - arguments.beta2)),
        epsilon(static_cast<C>(arguments.epsilon)) {
    const double t = static_cast<double>(*arguments.step) + 1;
    const double rate = static_cast<double>(*arguments.rate);
    // 1 - beta^t without the cancellation that this has in the first steps.
    rate_of_first = static_cast<C>(rate / -expm1(t * arguments.log_beta1));
    scale_of_second = static_cast<C>(1 / -expm1(t * arguments.log_beta2));
    kept = static_cast<C>(1 - rate * arguments.weight_decay);
  }
  __device__ C operator()(C param, C grad, C& first, C& second) const {
    first = beta1 * first + other1 * grad;
    second = beta2 * second + other2 * (grad * grad);
    const C step = rate_of_first * first / (sqrt(second * scale_of_second) + epsilon);
    return kept * param - step;
  }
  C beta1;
  C beta2;
  C other1;
  C other2;
  C epsilon;
  C rate_of_first;
  C scale_of_second;
  C kept;
};

// Where an element's states are, if the rule has so many.
template <class T>
struct States {
  __device__ explicit States(const UpdateArguments& arguments)
      : first(static_cast<computed_t<T>*>(arguments.first)),
        second(static_cast<computed_t<T>*>(arguments.second)) {}
  computed_t<T>* first;
  computed_t<T>* second;
};

template <class Rule, class T>
__device__ void update_element(const Rule& rule, T* param, computed_t<T> grad,
                               const States<T>& states, std::int64_t i) {
  computed_t<T> first = 0;
  computed_t<T> second = 0;
  if constexpr (Rule::kStates > 0) first = states.first[i];
  if constexpr (Rule::kStates > 1) second = states.second[i];
  param[i] = Element<T>::narrow(rule(Element<T>::widen(param[i]), grad, first, second));
  if constexpr (Rule::kStates > 0) states.first[i] = first;
  if constexpr (Rule::kStates > 1) states.second[i] = second;
}

}  // namespace loci::cuda
