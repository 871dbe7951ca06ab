// Cross entropy, of scores (plain) and of logits (fused with softmax), with hard and soft labels,
// and gradients: kernels for rows as axis_vectors.cuh says. Where the host would refuse a label
// that is no class, its row is NaN here: nobody waits for what a kernel finds.
#include "kernels/cross_entropy/cross_entropy_arguments.h"
#include "kernels/device/labels.cuh"
#include "kernels/device/whole_rows.cuh"
#include "kernels/softmax/softmax_row.cuh"

namespace loci::cuda {
namespace {

struct Label {
  __device__ Label(const CrossEntropyArguments& arguments, std::int64_t row)
      : value(label_at(arguments.label, arguments.are_labels_int64, row)),
        is_ignored(value == arguments.ignore_index),
        is_class(value >= 0 && value < arguments.classes) {}
  std::int64_t value;
  bool is_ignored;
  bool is_class;
};

template <class T>
__device__ computed_t<T> value_at(const void* array, std::int64_t i) {
  return Element<T>::widen(static_cast<const T*>(array)[i]);
}
template <class T, class Value>
__device__ void put(void* array, std::int64_t i, Value value) {
  static_cast<T*>(array)[i] = Element<T>::narrow(static_cast<computed_t<T>>(value));
}

// An operation on the arrays x and, with soft labels, the weights.
template <class T, int arrays_count>
struct LossOp {
  using Element = T;
  using Arguments = CrossEntropyArguments;
  using C = computed_t<T>;
  using Sum = sum_t<T>;
  static constexpr int kArrays = arrays_count;
  static __device__ Arrays<T, kArrays> arrays(const Arguments& arguments) {
    if constexpr (kArrays == 1) {
      return {{static_cast<const T*>(arguments.x)}};
    } else {
      return {{static_cast<const T*>(arguments.x), static_cast<const T*>(arguments.label)}};
    }
  }
  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.out); }
};

// A thread for each row.
template <class T>
__device__ void plain_hard(const CrossEntropyArguments& arguments) {
  const Turns turn = turns();
  for (std::int64_t row = turn.first; row < arguments.rows; row += turn.step) {
    const Label label(arguments, row);
    computed_t<T> loss = 0;
    if (!label.is_ignored) {
      loss = label.is_class ? -log(value_at<T>(arguments.x, row * arguments.classes + label.value))
                            : nan("");
    }
    put<T>(arguments.loss, row, loss);
  }
}

// -out_grad / x at the label's class. Threads side by side write elements side by side.
template <class T>
__device__ void plain_hard_grad(const CrossEntropyArguments& arguments) {
  const RowTeam team(kWarpThreads);
  for (std::int64_t row = team.first_item(); row < arguments.rows; row += team.item_step()) {
    const Label label(arguments, row);
    const std::int64_t base = row * arguments.classes;
    const computed_t<T> others = label.is_class || label.is_ignored ? 0.0 : nan("");
    for (std::int64_t i = team.member(); i < arguments.classes; i += team.size()) {
      const bool is_chosen = !label.is_ignored && i == label.value;
      put<T>(arguments.out, base + i,
             is_chosen ? -value_at<T>(arguments.grad, row) / value_at<T>(arguments.x, base + i)
                       : others);
    }
  }
}

// A class of weight 0 does not count, even at probability 0.
template <class T>
struct PlainSoft : LossOp<T, 2> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    sum_t<T> sum = 0;
    elements.each([&](const auto& values, std::int64_t) {
      if (values.of[1] != 0) sum -= values.of[1] * static_cast<sum_t<T>>(log(values.of[0]));
    });
    sum = elements.template fold<Plus>(sum);
    if (elements.is_writer()) put<T>(arguments.loss, elements.vector(), sum);
  }
};

template <class T>
struct PlainSoftGrad : LossOp<T, 2> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    const C grad = value_at<T>(arguments.grad, elements.vector());
    elements.store(static_cast<T*>(arguments.out), [&](const auto& values, std::int64_t) {
      return values.of[1] == 0 ? C{0} : -grad * values.of[1] / values.of[0];
    });
  }
};

template <class T, class Powers>
__device__ void store_softmax(const CrossEntropyArguments& arguments, const Powers& powers,
                              sum_t<T> sum) {
  using C = computed_t<T>;
  const C share = share_of<T>(sum);
  powers.store(static_cast<T*>(arguments.out), [&](C power, auto) { return power * share; });
}

// loss = log(sum exp(x - max)) + max - x[label], which stays exact where softmax gets near 0 or 1.
template <class T>
struct FusedHard : LossOp<T, 1> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    using Sum = sum_t<T>;
    const Label label(arguments, elements.vector());
    // Before the folds, after which another thread may write there.
    Sum chosen = 0;
    if (label.is_class) chosen = value_at<T>(arguments.x, elements.base() + label.value);
    const C max = largest_of<T>(elements);
    const auto powers = elements.map([&](const auto& x) { return power<T>(x.of[0] - max); });
    const Sum sum = sum_of<T>(powers);
    if (elements.is_writer()) {
      const Sum loss = log(sum) + (static_cast<Sum>(max) - chosen);
      const Sum wrong = label.is_class ? loss : static_cast<Sum>(nan(""));
      put<T>(arguments.loss, elements.vector(), label.is_ignored ? Sum{0} : wrong);
    }
    store_softmax<T>(arguments, powers, sum);
  }
};

template <class T>
struct FusedSoft : LossOp<T, 2> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    using Sum = sum_t<T>;
    const C max = largest_of<T>(elements);
    const auto powers =
        elements.map([&](const auto& values) { return power<T>(values.of[0] - max); });
    const Sum sum = sum_of<T>(powers);
    const Sum log_sum = log(sum);
    const Sum loss = elements.template folded<Plus>(Sum{0}, [&](Sum before, const auto& values) {
      const Sum distance = static_cast<Sum>(max) - static_cast<Sum>(values.of[0]);
      return before + values.of[1] * (log_sum + distance);
    });
    if (elements.is_writer()) put<T>(arguments.loss, elements.vector(), loss);
    store_softmax<T>(arguments, powers, sum);
  }
};

// loss_grad * (softmax * sum(label) - label).
template <class T>
struct FusedHardGrad : LossOp<T, 1> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    const Label label(arguments, elements.vector());
    C factor = 0;
    if (!label.is_ignored) {
      factor =
          label.is_class ? value_at<T>(arguments.grad, elements.vector()) : static_cast<C>(nan(""));
    }
    const std::int64_t chosen = label.is_ignored ? -1 : label.value;
    elements.store(static_cast<T*>(arguments.out), [&](const auto& values, auto i) {
      const bool is_chosen = i == static_cast<decltype(i)>(chosen);
      return factor * (is_chosen ? values.of[0] - 1 : values.of[0]);
    });
  }
};

template <class T>
struct FusedSoftGrad : LossOp<T, 2> {
  template <class Elements>
  static __device__ void run(const CrossEntropyArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    using Sum = sum_t<T>;
    const C factor = value_at<T>(arguments.grad, elements.vector());
    const auto sum = static_cast<C>(elements.template folded<Plus>(
        Sum{0}, [](Sum before, const auto& values) { return before + values.of[1]; }));
    elements.store(static_cast<T*>(arguments.out), [&](const auto& values, auto) {
      return factor * (values.of[0] * sum - values.of[1]);
    });
  }
};

}  // namespace

#define LOCI_CROSS_ENTROPY_HARD(dtype, T)                                            \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                        \
      plain_hard_##dtype(const __grid_constant__ CrossEntropyArguments given) {      \
    plain_hard<T>(given);                                                            \
  }                                                                                  \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                        \
      plain_hard_grad_##dtype(const __grid_constant__ CrossEntropyArguments given) { \
    plain_hard_grad<T>(given);                                                       \
  }
LOCI_CROSS_ENTROPY_HARD(f32, float)
LOCI_CROSS_ENTROPY_HARD(f64, double)
LOCI_CROSS_ENTROPY_HARD(f16, __half)
LOCI_CROSS_ENTROPY_HARD(bf16, __nv_bfloat16)
LOCI_AXIS_ROWS_READ_ONCE(plain_soft, PlainSoft)
LOCI_AXIS_ROWS_READ_ONCE(plain_soft_grad, PlainSoftGrad)
LOCI_AXIS_ROWS_READ_ONCE(fused_hard_grad, FusedHardGrad)
LOCI_AXIS_ROWS_OF_FLOATS(fused_hard, FusedHard)
LOCI_AXIS_ROWS_OF_FLOATS(fused_soft, FusedSoft)
LOCI_AXIS_ROWS_OF_FLOATS(fused_soft_grad, FusedSoftGrad)
LOCI_WHOLE_ROWS_OF_FLOATS(fused_hard, FusedHard)
LOCI_WHOLE_ROWS_OF_FLOATS(fused_hard_grad, FusedHardGrad)

}  // namespace loci::cuda
