// bilinear_interp and its gradient. Both go through columns first and rows second, or the other
// way round for the gradient, so that the work on whole rows is made of vectors.
#include <algorithm>
#include <array>
#include <loci/plugin/resample.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 700;  // of one element of the larger image

struct ImageShape {
  std::int64_t planes;
  std::int64_t in_height;
  std::int64_t in_width;
  std::int64_t out_height;
  std::int64_t out_width;

  ImageShape(sdk::Dims in, sdk::Dims out)
      : planes(in[0] * in[1]),
        in_height(in[2]),
        in_width(in[3]),
        out_height(out[2]),
        out_width(out[3]) {}

  // Threads that are worth while for `rows` rows, at least 1; each has memory of its own.
  [[nodiscard]] std::int64_t slots(const sdk::Host& host, std::int64_t rows) const {
    const std::int64_t work = planes * std::max(in_height * in_width, out_height * out_width);
    const std::int64_t most = std::min<std::int64_t>(host.parallel_width(), rows);
    return std::clamp<std::int64_t>(work / grain_for(kPicoseconds), 1,
                                    std::max<std::int64_t>(most, 1));
  }
};

// Calls body(slot, begin, end) for equal parts of [0, rows), from several threads.
template <class Body>
void for_slots(const sdk::Host& host, std::int64_t slots, std::int64_t rows, const Body& body) {
  host.parallel_for(0, slots, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t slot = first; slot < last; ++slot) {
      const std::int64_t begin = rows * slot / slots;
      const std::int64_t end = rows * (slot + 1) / slots;
      run_widest([&](auto) LOCI_INLINE { body(slot, begin, end); });
    }
  });
}

template <class C>
std::vector<C> converted(const std::vector<double>& weights) {
  return std::vector<C>(weights.begin(), weights.end());
}

template <class T>
class BilinearInterp {
 public:
  using C = sdk::compute_t<T>;

  BilinearInterp(const sdk::Host* host, const ImageShape& shape,
                 const sdk::ResampleOptions& options)
      : host_(host),
        shape_(shape),
        slots_(shape.slots(*host, shape.planes * shape.out_height)),
        rows_(shape.in_height, shape.out_height, options),
        columns_(shape.in_width, shape.out_width, options),
        row_weights_(converted<C>(rows_.weight)),
        column_weights_(converted<C>(columns_.weight)) {}

  // Two rows of the result's width and, for 16-bit formats, one of the source's.
  static std::int64_t scratch(const ImageShape& shape) {
    return 2 * shape.out_width + (sdk::is_half<T> ? shape.in_width : 0);
  }
  static std::uint64_t workspace_bytes(const sdk::Host& host, const ImageShape& shape) {
    const std::int64_t slots = shape.slots(host, shape.planes * shape.out_height);
    return static_cast<std::uint64_t>(slots * scratch(shape)) * sizeof(C);
  }

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    for_slots(*host_, slots_, shape_.planes * shape_.out_height,
              [&](std::int64_t slot, std::int64_t begin, std::int64_t end) LOCI_INLINE {
                run(out, x, launch.workspace<C>() + slot * scratch(shape_), begin, end);
              });
  }

 private:
  // A row of the source, stretched to the result's width, is used for several rows of the result:
  // the last two are kept.
  LOCI_INLINE void run(T* out, const T* x, C* memory, std::int64_t begin, std::int64_t end) const {
    C* kept[2] = {memory, memory + shape_.out_width};
    std::int64_t held[2] = {-1, -1};
    for (std::int64_t row = begin; row < end; ++row) {
      const auto i = static_cast<std::size_t>(row % shape_.out_height);
      const std::int64_t plane = row / shape_.out_height * shape_.in_height;
      const std::int64_t low = plane + rows_.low[i];
      const std::int64_t high = plane + rows_.high[i];
      if (held[0] != low && (held[1] == low || held[0] == high)) {
        std::swap(kept[0], kept[1]);
        std::swap(held[0], held[1]);
      }
      const std::int64_t wanted[2] = {low, high};
      for (std::size_t k = 0; k < (low == high ? 1U : 2U); ++k) {
        if (held[k] == wanted[k]) continue;
        stretch(kept[k], x + wanted[k] * shape_.in_width, memory + 2 * shape_.out_width);
        held[k] = wanted[k];
      }
      blend(out + row * shape_.out_width, kept[0], kept[low == high ? 0 : 1], row_weights_[i]);
    }
  }

  LOCI_INLINE void stretch(C* to, const T* row, [[maybe_unused]] C* wide) const {
    if constexpr (sdk::is_half<T>) {
#pragma omp simd
      for (std::int64_t i = 0; i < shape_.in_width; ++i) wide[i] = static_cast<C>(row[i]);
      gather(to, wide);
    } else {
      gather(to, row);
    }
  }

  LOCI_INLINE void gather(C* to, const C* row) const {
    const std::int32_t* low = columns_.low.data();
    const std::int32_t* high = columns_.high.data();
    const C* weights = column_weights_.data();
#pragma omp simd
    for (std::int64_t i = 0; i < shape_.out_width; ++i) {
      const C left = row[low[i]];
      to[i] = left + weights[i] * (row[high[i]] - left);
    }
  }

  LOCI_INLINE void blend(T* to, const C* upper, const C* lower, C weight) const {
#pragma omp simd
    for (std::int64_t i = 0; i < shape_.out_width; ++i) {
      to[i] = static_cast<T>(upper[i] + weight * (lower[i] - upper[i]));
    }
  }

  const sdk::Host* host_;
  ImageShape shape_;
  std::int64_t slots_;
  sdk::ResampleAxis rows_;
  sdk::ResampleAxis columns_;
  std::vector<C> row_weights_;
  std::vector<C> column_weights_;
};

// The columns that each element of a row takes part in, padded to one number of taps, so that
// neighbouring elements are summed side by side.
template <class C>
class PaddedTaps {
 public:
  // Up to here padding is cheaper than to sum each element by itself.
  static constexpr std::int64_t kMost = 8;

  // `zero` is the index of an element that is 0.
  PaddedTaps(const sdk::ResampleTaps& taps, std::int64_t zero)
      : width_(static_cast<std::int64_t>(taps.first.size())), count_(taps.most_taps()) {
    if (!useful()) return;
    for (std::int64_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < taps.first.size(); ++i) {
        const bool has = k < taps.taps(i);
        index_.push_back(static_cast<std::int32_t>(has ? taps.first[i] + k : zero));
        weight_.push_back(
            has ? static_cast<C>(taps.weight[static_cast<std::size_t>(taps.offset[i] + k)]) : C{0});
      }
    }
  }

  [[nodiscard]] bool useful() const { return count_ <= kMost; }

  template <class T>
  LOCI_INLINE void sum(T* to, const C* row) const {
    for (std::int64_t begin = 0; begin < width_; begin += kBlock) {
      const std::int64_t length = std::min(kBlock, width_ - begin);
      C sums[kBlock] = {};
      for (std::int64_t k = 0; k < count_; ++k) {
        const std::int32_t* index = index_.data() + k * width_ + begin;
        const C* weight = weight_.data() + k * width_ + begin;
#pragma omp simd
        for (std::int64_t i = 0; i < length; ++i) sums[i] += weight[i] * row[index[i]];
      }
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) to[begin + i] = static_cast<T>(sums[i]);
    }
  }

 private:
  static constexpr std::int64_t kBlock = 64;
  std::int64_t width_;
  std::int64_t count_;
  std::vector<std::int32_t> index_;
  std::vector<C> weight_;
};

// Each row of the image's gradient is a sum over rows of the result's, taken in order: no two
// threads write to one element, and the sum does not depend on their number.
template <class T>
class BilinearInterpGrad {
 public:
  using C = sdk::compute_t<T>;

  BilinearInterpGrad(const sdk::Host* host, const ImageShape& shape,
                     const sdk::ResampleOptions& options)
      : host_(host),
        shape_(shape),
        slots_(shape.slots(*host, shape.planes * shape.in_height)),
        rows_(shape.in_height, sdk::ResampleAxis(shape.in_height, shape.out_height, options)),
        columns_(shape.in_width, sdk::ResampleAxis(shape.in_width, shape.out_width, options)),
        padded_(columns_, shape.out_width),
        row_weights_(converted<C>(rows_.weight)),
        column_weights_(converted<C>(columns_.weight)) {}

  // A row of sums, and the 0 that padding reads.
  static std::int64_t scratch(const ImageShape& shape) { return shape.out_width + 1; }
  static std::uint64_t workspace_bytes(const sdk::Host& host, const ImageShape& shape) {
    const std::int64_t slots = shape.slots(host, shape.planes * shape.in_height);
    return static_cast<std::uint64_t>(slots * scratch(shape)) * sizeof(C);
  }

  void launch(const Launch& launch) const {
    const T* out_grad = launch.input<T>(0);
    T* x_grad = launch.output<T>(0);
    for_slots(*host_, slots_, shape_.planes * shape_.in_height,
              [&](std::int64_t slot, std::int64_t begin, std::int64_t end) LOCI_INLINE {
                C* sums = launch.workspace<C>() + slot * scratch(shape_);
                sums[shape_.out_width] = 0;
                for (std::int64_t row = begin; row < end; ++row) {
                  sum_rows(sums, out_grad, row);
                  sum_columns(x_grad + row * shape_.in_width, sums);
                }
              });
  }

 private:
  LOCI_INLINE void sum_rows(C* sums, const T* out_grad, std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row % shape_.in_height);
    const std::int64_t first = row / shape_.in_height * shape_.out_height + rows_.first[i];
    const std::int64_t taps = rows_.taps(i);
    const C* weights = row_weights_.data() + rows_.offset[i];
    if (taps == 0) std::fill(sums, sums + shape_.out_width, C{0});
    for (std::int64_t k = 0; k < taps; ++k) {
      const T* from = out_grad + (first + k) * shape_.out_width;
      const C weight = weights[k];
      if (k == 0) {
#pragma omp simd
        for (std::int64_t j = 0; j < shape_.out_width; ++j) {
          sums[j] = weight * static_cast<C>(from[j]);
        }
      } else {
#pragma omp simd
        for (std::int64_t j = 0; j < shape_.out_width; ++j) {
          sums[j] += weight * static_cast<C>(from[j]);
        }
      }
    }
  }

  LOCI_INLINE void sum_columns(T* to, const C* sums) const {
    if (padded_.useful()) return padded_.sum(to, sums);
    for (std::int64_t i = 0; i < shape_.in_width; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const C* weights = column_weights_.data() + columns_.offset[at];
      const C* from = sums + columns_.first[at];
      to[i] = static_cast<T>(sum_terms<double>(columns_.taps(at), [=](std::int64_t k) LOCI_INLINE {
        return static_cast<double>(weights[k] * from[k]);
      }));
    }
  }

  const sdk::Host* host_;
  ImageShape shape_;
  std::int64_t slots_;
  sdk::ResampleTaps rows_;
  sdk::ResampleTaps columns_;
  PaddedTaps<C> padded_;
  std::vector<C> row_weights_;
  std::vector<C> column_weights_;
};

sdk::ResampleOptions read_options(const sdk::AttributeReader& attributes) {
  return {attributes.real("scale"), attributes.boolean("align_corners"),
          attributes.integer("align_mode") == 1};
}

template <template <class> class Prepared>
void prepare_bilinear(Prepare& prepare, loci_dtype dtype, const ImageShape& shape,
                      const sdk::ResampleOptions& options) {
  sdk::visit_floats(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    prepare.set_workspace(Prepared<T>::workspace_bytes(prepare.host(), shape));
    prepare.emplace<Prepared<T>>(&prepare.host(), shape, options);
  });
}

class BilinearInterpKernel final : public sdk::Kernel {
 public:
  explicit BilinearInterpKernel(const sdk::OpDesc& op) : options_(read_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    prepare_bilinear<BilinearInterp>(prepare, x.dtype(),
                                     ImageShape(x.dims(), prepare.op().output(0).dims()), options_);
  }

 private:
  sdk::ResampleOptions options_;
};

class BilinearInterpGradKernel final : public sdk::Kernel {
 public:
  explicit BilinearInterpGradKernel(const sdk::OpDesc& op)
      : options_(read_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto out_grad = prepare.op().input(0);
    prepare_bilinear<BilinearInterpGrad>(prepare, out_grad.dtype(),
                                         ImageShape(prepare.op().input(1).dims(), out_grad.dims()),
                                         options_);
  }

 private:
  sdk::ResampleOptions options_;
};

}  // namespace

void add_bilinear_interp(KernelDefs& kernels) {
  kernels.push_back({.op = "bilinear_interp",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BilinearInterpKernel>});
  kernels.push_back({.op = "bilinear_interp_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BilinearInterpGradKernel>});
}

}  // namespace loci::kernels
