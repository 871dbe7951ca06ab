// dropout and its gradient. Which elements stay depends on seed, run, offset and index alone
// (loci/plugin/philox.hpp): element i takes word i, whatever its dtype.
#include <algorithm>
#include <loci/plugin/dropout.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/philox_words.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 100;  // of one element, once it is known whether it stays

// The product with a factor, or 0 where the mask is 0, whatever x is there.
template <class T>
LOCI_INLINE inline void multiply(T* out, const T* x, const std::uint8_t* mask, std::int64_t count,
                                 sdk::compute_t<T> factor) {
  using C = sdk::compute_t<T>;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const C product = static_cast<C>(x[i]) * factor;
    out[i] = static_cast<T>(mask[i] != 0 ? product : C{0});
  }
}

template <class T>
struct Dropout {
  static constexpr std::int64_t kWords = 4;  // of a block

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    const auto* state = launch.input<std::uint64_t>(1);
    T* out = launch.output<T>(0);
    auto* mask = launch.output<std::uint8_t>(1);
    const std::int64_t blocks = (count + kWords - 1) / kWords;
    const auto scale = static_cast<sdk::compute_t<T>>(factor);
    host->parallel_for(0, blocks, grain_for(20'000), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = begin * kWords;
      const std::int64_t length = std::min(end * kWords, count) - first;
      draw(mask, philox_stream(state, state_extent, offset), begin, end);
      run_widest(
          [&](auto) LOCI_INLINE { multiply(out + first, x + first, mask + first, length, scale); });
    });
  }

  void draw(std::uint8_t* mask, const PhiloxStream& stream, std::int64_t begin,
            std::int64_t end) const {
    constexpr std::int64_t kBatch = 96;  // blocks
    std::uint32_t words[kWords * kBatch];
    for (std::int64_t block = begin; block < end; block += kBatch) {
      const std::int64_t batch = std::min(kBatch, end - block);
      philox_words(stream, block, batch, words);
      const std::int64_t first = block * kWords;
      compare(mask + first, words, std::min(batch * kWords, count - first));
    }
  }

  void compare(std::uint8_t* mask, const std::uint32_t* words, std::int64_t length) const {
    run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
      for (std::int64_t i = 0; i < length; ++i) mask[i] = (words[i] >> 8) >= threshold ? 1 : 0;
    });
  }

  const sdk::Host* host;
  std::int64_t count;
  std::uint64_t offset;
  std::int64_t state_extent;
  std::uint32_t threshold;
  double factor;
};

// With is_test: nothing is dropped.
template <class T>
struct KeepAll {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    auto* mask = launch.output<std::uint8_t>(1);
    const auto scale = static_cast<C>(factor);
    host->parallel_for(0, count, grain_for(kPicoseconds),
                       [&](std::int64_t begin, std::int64_t end) {
                         std::fill(mask + begin, mask + end, std::uint8_t{1});
                         run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
                           for (std::int64_t i = begin; i < end; ++i) {
                             out[i] = static_cast<T>(static_cast<C>(x[i]) * scale);
                           }
                         });
                       });
  }

  const sdk::Host* host;
  std::int64_t count;
  double factor;
};

template <class T>
struct DropoutGrad {
  void launch(const Launch& launch) const {
    const T* out_grad = launch.input<T>(0);
    const auto* mask = launch.input<std::uint8_t>(1);
    T* x_grad = launch.output<T>(0);
    const auto scale = static_cast<sdk::compute_t<T>>(factor);
    host->parallel_for(
        0, count, grain_for(kPicoseconds), [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE {
            multiply(x_grad + begin, out_grad + begin, mask + begin, end - begin, scale);
          });
        });
  }

  const sdk::Host* host;
  std::int64_t count;
  double factor;
};

class DropoutKernel final : public sdk::Kernel {
 public:
  explicit DropoutKernel(const sdk::OpDesc& op)
      : options_(op.attributes()), offset_(sdk::read_draw_offset(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (options_.is_test()) {
        emplace_keep_all<T>(prepare);
      } else {
        prepare.emplace<Dropout<T>>(&prepare.host(), x.numel(), offset_,
                                    prepare.op().input(1).numel(), options_.threshold(),
                                    options_.factor());
      }
    });
  }

 private:
  template <class T>
  void emplace_keep_all(Prepare& prepare) const {
    using Keep = KeepAll<sdk::compute_t<T>>;
    const sdk::Host* host = &prepare.host();
    const std::int64_t count = prepare.op().input(0).numel();
    if constexpr (sdk::is_half<T>) {
      emplace_widened_rows(prepare, count, {{2, 2}, 1, 3, true}, kPicoseconds,
                           [&](std::int64_t rows) {
                             return Keep{host, rows, options_.factor()};
                           });
    } else {
      prepare.emplace<Keep>(host, count, options_.factor());
    }
  }

  sdk::DropoutOptions options_;
  std::uint64_t offset_;
};

class DropoutGradKernel final : public sdk::Kernel {
 public:
  explicit DropoutGradKernel(const sdk::OpDesc& op)
      : factor_(sdk::DropoutOptions(op.attributes()).factor()) {}

  void prepare(Prepare& prepare) const override {
    const auto out_grad = prepare.op().input(0);
    sdk::visit_floats(out_grad.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Grad = DropoutGrad<sdk::compute_t<T>>;
      const sdk::Host* host = &prepare.host();
      if constexpr (sdk::is_half<T>) {
        emplace_widened_rows(prepare, out_grad.numel(), {{2}, 3, 1, true}, kPicoseconds,
                             [&](std::int64_t rows) {
                               return Grad{host, rows, factor_};
                             });
      } else {
        prepare.emplace<Grad>(host, out_grad.numel(), factor_);
      }
    });
  }

 private:
  double factor_;
};

}  // namespace

void add_dropout(KernelDefs& kernels) {
  kernels.push_back({.op = "dropout",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<DropoutKernel>,
                     .aliases = {{0, 0}},
                     .flags = LOCI_KERNEL_COUNTED_STATE});
  kernels.push_back({.op = "dropout_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<DropoutGradKernel>,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::kernels
