// Update rules of optimizers as functions of a block of elements. `grad` is the gradient in the
// parameter's dtype, or a sum in the dtype computed in.
#pragma once

#include <cmath>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Without a gradient sgd changes nothing, so that it has no mode that is not lazy.
struct SgdOptions {
  explicit SgdOptions(const sdk::AttributeReader& /*attributes*/) {}
  bool lazy = true;
};

// Slots of the ops: param, grad, what the rule has, learning_rate, rows. at(offset, p) is the rule
// for elements from `offset` on, whose parameters are at `p` instead.
template <class T>
struct SgdRule {
  using C = sdk::compute_t<T>;
  static constexpr std::uint32_t kRate = 2;
  static constexpr std::uint32_t kRows = 3;
  using Options = SgdOptions;

  SgdRule(const sdk::Launch& launch, const Options& /*options*/)
      : param(launch.output<T>(0)), rate(static_cast<C>(*launch.input<float>(kRate))) {}

  [[nodiscard]] SgdRule at(std::int64_t /*offset*/, T* p) const {
    SgdRule rule = *this;
    rule.param = p;
    return rule;
  }

  template <class G>
  LOCI_INLINE void update(std::int64_t offset, std::int64_t count, const G* grad) const {
    T* p = param + offset;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      p[i] = static_cast<T>(static_cast<C>(p[i]) - rate * static_cast<C>(grad[i]));
    }
  }

  T* param;
  C rate;
};

// velocity = mu velocity + g; param -= rate velocity, or with Nesterov's look-ahead
// param -= rate (g + mu velocity) (Sutskever et al., 2013, in the form that deep-learning
// frameworks use).
template <class T>
struct MomentumRule {
  using C = sdk::compute_t<T>;
  static constexpr std::uint32_t kRate = 3;
  static constexpr std::uint32_t kRows = 4;
  using Options = sdk::MomentumOptions;

  MomentumRule(const sdk::Launch& launch, const Options& options)
      : param(launch.output<T>(0)),
        velocity(launch.output<C>(1)),
        rate(static_cast<C>(*launch.input<float>(kRate))),
        mu(static_cast<C>(options.mu)),
        ahead(options.nesterov) {}

  [[nodiscard]] MomentumRule at(std::int64_t offset, T* p) const {
    MomentumRule rule = *this;
    rule.param = p;
    rule.velocity += offset;
    return rule;
  }

  template <class G>
  LOCI_INLINE void update(std::int64_t offset, std::int64_t count, const G* grad) const {
    T* p = param + offset;
    C* v = velocity + offset;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const C g = static_cast<C>(grad[i]);
      v[i] = mu * v[i] + g;
      const C step = ahead ? g + mu * v[i] : v[i];
      p[i] = static_cast<T>(static_cast<C>(p[i]) - rate * step);
    }
  }

  T* param;
  C* velocity;
  C rate;
  C mu;
  bool ahead;
};

// Adam (Kingma and Ba, 2015, algorithm 1), with t = step + 1:
//   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
//   param -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// after param -= rate weight_decay param (Loshchilov and Hutter, 2019, decoupled).
template <class T>
struct AdamRule {
  using C = sdk::compute_t<T>;
  static constexpr std::uint32_t kStep = 4;
  static constexpr std::uint32_t kRate = 5;
  static constexpr std::uint32_t kRows = 6;
  using Options = sdk::AdamOptions;

  AdamRule(const sdk::Launch& launch, const Options& options)
      : param(launch.output<T>(0)), first(launch.output<C>(1)), second(launch.output<C>(2)) {
    const auto t = static_cast<double>(launch.input<std::int64_t>(kStep)[options.counter]) + 1.0;
    const double rate = static_cast<double>(*launch.input<float>(kRate));
    beta1 = static_cast<C>(options.beta1);
    beta2 = static_cast<C>(options.beta2);
    other1 = static_cast<C>(1.0 - options.beta1);
    other2 = static_cast<C>(1.0 - options.beta2);
    rate_of_first = static_cast<C>(rate / one_minus_power(options.beta1, t));
    scale_of_second = static_cast<C>(1.0 / one_minus_power(options.beta2, t));
    epsilon = static_cast<C>(options.epsilon);
    kept = static_cast<C>(1.0 - rate * options.weight_decay);
  }

  // 1 - beta^t without the cancellation that this has in the first steps.
  static double one_minus_power(double beta, double t) { return -std::expm1(t * std::log(beta)); }

  [[nodiscard]] AdamRule at(std::int64_t offset, T* p) const {
    AdamRule rule = *this;
    rule.param = p;
    rule.first += offset;
    rule.second += offset;
    return rule;
  }

  template <class G>
  LOCI_INLINE void update(std::int64_t offset, std::int64_t count, const G* grad) const {
    T* p = param + offset;
    C* m = first + offset;
    C* v = second + offset;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const C g = static_cast<C>(grad[i]);
      m[i] = beta1 * m[i] + other1 * g;
      v[i] = beta2 * v[i] + other2 * (g * g);
      const C step = rate_of_first * m[i] / (std::sqrt(v[i] * scale_of_second) + epsilon);
      p[i] = static_cast<T>(kept * static_cast<C>(p[i]) - step);
    }
  }

  T* param;
  C* first;
  C* second;
  C beta1;
  C beta2;
  C other1;
  C other2;
  C rate_of_first;
  C scale_of_second;
  C epsilon;
  C kept;
};

}  // namespace loci::kernels
