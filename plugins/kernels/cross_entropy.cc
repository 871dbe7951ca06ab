// cross_entropy, alone and fused with softmax, with their gradients. Losses are computed in double
// and rounded once.
#include <algorithm>
#include <cmath>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/labels.h"
#include "plugins/kernels/softmax_row.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

struct LossShape {
  const char* op;
  const sdk::Host* host;
  std::int64_t rows;
  std::int64_t classes;
  bool soft_label;
  std::int64_t ignore_index;
};

template <class T>
LOCI_INLINE inline double real(T value) {
  return static_cast<double>(static_cast<sdk::compute_t<T>>(value));
}

// Runs row(index) for all rows; Derived has `hard(row, label)` and `soft(row, labels)`, which get
// the data of the launch.
template <class T, class Rows>
void for_rows(const LossShape& shape, const loci_view& label_view, const Rows& rows) {
  const IntegerView labels(label_view);
  const auto* soft_labels = static_cast<const T*>(label_view.data);
  if (!shape.soft_label) {
    check_labels(shape.op, labels, shape.rows, shape.classes, shape.ignore_index);
  }
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t row = begin; row < end; ++row) {
        if (shape.soft_label) {
          rows.soft(row, soft_labels + row * shape.classes);
        } else {
          rows.hard(row, labels[row], labels[row] == shape.ignore_index);
        }
      }
    });
  };
  shape.host->parallel_for(0, shape.rows, grain_for(3000 * shape.classes), run);
}

template <class T>
struct CrossEntropy {
  struct Rows {
    LOCI_INLINE void hard(std::int64_t row, std::int64_t label, bool ignored) const {
      out[row] = T(ignored ? 0.0 : -std::log(real(x[row * classes + label])));
    }
    LOCI_INLINE void soft(std::int64_t row, const T* label) const {
      const T* scores = x + row * classes;
      double sum = 0;
      for (std::int64_t i = 0; i < classes; ++i) {
        // A class of weight 0 does not count, even at probability 0.
        if (real(label[i]) != 0) sum -= real(label[i]) * std::log(real(scores[i]));
      }
      out[row] = T(sum);
    }
    const T* x;
    T* out;
    std::int64_t classes;
  };

  void launch(const Launch& launch) const {
    for_rows<T>(shape, launch.input_view(1),
                Rows{launch.input<T>(0), launch.output<T>(0), shape.classes});
  }
  LossShape shape;
};

// -out_grad * label / x.
template <class T>
struct CrossEntropyGrad {
  struct Rows {
    LOCI_INLINE void hard(std::int64_t row, std::int64_t label, bool ignored) const {
      T* grad = x_grad + row * classes;
      std::fill(grad, grad + classes, T(0.0F));
      if (ignored) return;
      grad[label] = T(-real(out_grad[row]) / real(x[row * classes + label]));
    }
    LOCI_INLINE void soft(std::int64_t row, const T* label) const {
      const T* scores = x + row * classes;
      for (std::int64_t i = 0; i < classes; ++i) {
        const double weight = real(label[i]);
        x_grad[row * classes + i] =
            T(weight == 0 ? 0.0 : -real(out_grad[row]) * weight / real(scores[i]));
      }
    }
    const T* x;
    const T* out_grad;
    T* x_grad;
    std::int64_t classes;
  };

  void launch(const Launch& launch) const {
    for_rows<T>(shape, launch.input_view(1),
                Rows{launch.input<T>(0), launch.input<T>(2), launch.output<T>(0), shape.classes});
  }
  LossShape shape;
};

// loss = log(sum exp(x - max)) + max - x[label], which stays exact where softmax gets near 0 or 1.
template <class T>
struct FusedLoss {
  struct Rows {
    LOCI_INLINE void hard(std::int64_t row, std::int64_t label, bool ignored) const {
      const T* x = logits + row * classes;
      const double chosen = ignored ? 0.0 : real(x[label]);
      const auto sum = softmax_row(softmax + row * classes, x, classes);
      const double value = std::log(sum.sum) + (static_cast<double>(sum.max) - chosen);
      loss[row] = T(ignored ? 0.0 : value);
    }
    LOCI_INLINE void soft(std::int64_t row, const T* label) const {
      const T* x = logits + row * classes;
      const auto sum = sum_exp(x, classes);
      const double log_sum = std::log(sum.sum);
      loss[row] = T(sum_terms<double>(classes, [&](std::int64_t i) LOCI_INLINE {
        return real(label[i]) * (log_sum + (static_cast<double>(sum.max) - real(x[i])));
      }));
      softmax_row(softmax + row * classes, x, classes);
    }
    const T* logits;
    T* softmax;
    T* loss;
    std::int64_t classes;
  };

  void launch(const Launch& launch) const {
    for_rows<T>(shape, launch.input_view(1),
                Rows{launch.input<T>(0), launch.output<T>(0), launch.output<T>(1), shape.classes});
  }
  LossShape shape;
};

// loss_grad * (softmax * sum(label) - label).
template <class T>
struct FusedLossGrad {
  using C = sdk::compute_t<T>;
  struct Rows {
    LOCI_INLINE void hard(std::int64_t row, std::int64_t label, bool ignored) const {
      const C factor = ignored ? C{0} : static_cast<C>(loss_grad[row]);
      const T* p = softmax + row * classes;
      T* grad = logits_grad + row * classes;
      const C chosen = ignored ? C{0} : static_cast<C>(p[label]);
#pragma omp simd
      for (std::int64_t i = 0; i < classes; ++i) grad[i] = T(factor * static_cast<C>(p[i]));
      if (!ignored) grad[label] = T(factor * (chosen - C{1}));
    }
    LOCI_INLINE void soft(std::int64_t row, const T* label) const {
      const auto factor = static_cast<C>(loss_grad[row]);
      const T* p = softmax + row * classes;
      T* grad = logits_grad + row * classes;
      const auto sum = static_cast<C>(sum_run(label, classes));
#pragma omp simd
      for (std::int64_t i = 0; i < classes; ++i) {
        grad[i] = T(factor * (static_cast<C>(p[i]) * sum - static_cast<C>(label[i])));
      }
    }
    const T* softmax;
    const T* loss_grad;
    T* logits_grad;
    std::int64_t classes;
  };

  void launch(const Launch& launch) const {
    for_rows<T>(shape, launch.input_view(1),
                Rows{launch.input<T>(0), launch.input<T>(2), launch.output<T>(0), shape.classes});
  }
  LossShape shape;
};

template <template <class> class Prepared, std::uint32_t inputs, std::uint32_t outputs>
class Loss final : public sdk::Kernel {
 public:
  explicit Loss(const OpDesc& op) : labels_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const std::int64_t classes = x.dim(x.rank() - 1);
    const std::int64_t rows = sdk::numel_of({x.dims().data(), x.dims().size() - 1});
    const LossShape shape{name(prepare.op().name()), &prepare.host(),     rows, classes,
                          labels_.is_soft,           labels_.ignore_index};
    switch (x.dtype()) {
      case LOCI_DTYPE_F64: return prepare.emplace<Prepared<double>>(shape);
      case LOCI_DTYPE_F32: return prepare.emplace<Prepared<float>>(shape);
      default: emplace_widened(prepare, {inputs, outputs}, 0, Prepared<float>{shape});
    }
  }

 private:
  // For messages, of static storage.
  static const char* name(std::string_view op) {
    return op.substr(0, 7) == "softmax" ? "softmax_with_cross_entropy" : "cross_entropy";
  }

  sdk::LabelOptions labels_;
};

template <template <class> class Prepared, std::uint32_t inputs, std::uint32_t outputs>
sdk::KernelDef loss(std::string_view op) {
  return {.op = op,
          .name = kPortable,
          .dtypes = sdk::kFloatBits,
          .create = sdk::make_kernel<Loss<Prepared, inputs, outputs>>};
}

}  // namespace

void add_cross_entropy(KernelDefs& kernels) {
  kernels.push_back(loss<CrossEntropy, 2, 1>("cross_entropy"));
  kernels.push_back(loss<CrossEntropyGrad, 3, 1>("cross_entropy_grad"));
  kernels.push_back(loss<FusedLoss, 2, 2>("softmax_with_cross_entropy"));
  kernels.back().aliases = {{0, 0}};
  kernels.push_back(loss<FusedLossGrad, 3, 1>("softmax_with_cross_entropy_grad"));
  kernels.back().aliases = {{0, 0}};
}

}  // namespace loci::kernels
