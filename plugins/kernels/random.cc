// uniform_random, gaussian_random, and the states that they draw from. The words of an element
// depend on seed, run, offset and its index alone (loci/plugin/philox.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/op_options.hpp>
#include <loci/plugin/philox.hpp>

#include "plugins/kernels/convert.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/philox_words.h"
#include "plugins/kernels/simd_math.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

template <class T>
inline constexpr std::int64_t kPerBlock = std::is_same_v<T, double> ? 2 : 4;
// Blocks whose words are made at a time.
constexpr std::int64_t kBatch = 96;

// The largest value of T below `high`: rounding may not reach the open end of the range.
template <class T>
T largest_below(double high) {
  T value = convert<T>(high);
  if (static_cast<double>(value) < high) return value;
  if constexpr (sdk::is_half<T>) {
    // Sign and magnitude: one step down is towards zero for positive values, else away from it.
    if ((value.bits & 0x7FFFU) == 0) {
      value.bits = 0x8001;
    } else {
      value.bits = static_cast<std::uint16_t>(value.bits + ((value.bits & 0x8000U) != 0 ? 1 : -1));
    }
    return value;
  } else {
    return std::nextafter(value, -std::numeric_limits<T>::infinity());
  }
}

// low + unit * (high - low). Where the difference overflows, half of that, doubled: exact steps.
template <class T>
class Uniform {
 public:
  using C = sdk::compute_t<T>;
  Uniform(double low, double high)
      : scale_(high - low > static_cast<double>(std::numeric_limits<C>::max()) ? 2 : 1),
        low_(static_cast<C>(low / scale_)),
        range_(static_cast<C>(high / scale_ - low / scale_)),
        last_(static_cast<C>(largest_below<T>(high))),
        empty_(!(low < high)) {}

  void operator()(const std::uint32_t* words, std::int64_t count, T* values) const {
    run_widest([&](auto) LOCI_INLINE {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) values[i] = value_of(words, i);
    });
  }

 private:
  LOCI_INLINE T value_of(const std::uint32_t* words, std::int64_t i) const {
    C unit;
    if constexpr (std::is_same_v<T, double>) {
      unit = sdk::uniform_double(words[2 * i], words[2 * i + 1]);
    } else {
      unit = sdk::uniform_float(words[i]);
    }
    const C value = (low_ + unit * range_) * scale_;
    const bool past = !empty_ && static_cast<C>(T(value)) > last_;
    return static_cast<T>(past ? last_ : value);
  }

  C scale_;
  C low_;    // over the scale
  C range_;  // over the scale
  C last_;
  bool empty_;  // low == high: always that value
};

template <class T>
class Gaussian {
 public:
  Gaussian(double mean, double deviation) : mean_(mean), deviation_(deviation) {}

  // Words of whole pairs; the last value of one may not be wanted.
  void operator()(const std::uint32_t* words, std::int64_t count, T* values) const {
    run_widest([&](auto) LOCI_INLINE {
      double first[kMostPairs];
      double second[kMostPairs];
      const std::int64_t pairs = (count + 1) / 2;
#pragma omp simd
      for (std::int64_t i = 0; i < pairs; ++i) {
        const double radius = std::sqrt(-2.0 * simd::log(radius_word(words, i)));
        const auto [sine, cosine] = simd::sine_cosine(angle_word(words, i));
        first[i] = simd::fused(deviation_, radius * cosine, mean_);
        second[i] = simd::fused(deviation_, radius * sine, mean_);
      }
      for (std::int64_t i = 0; i < count / 2; ++i) {
        values[2 * i] = convert<T>(first[i]);
        values[2 * i + 1] = convert<T>(second[i]);
      }
      if (count % 2 != 0) values[count - 1] = convert<T>(first[pairs - 1]);
    });
  }

 private:
  static constexpr std::int64_t kMostPairs = kBatch * kPerBlock<T> / 2;

  LOCI_INLINE static double radius_word(const std::uint32_t* words, std::int64_t pair) {
    if constexpr (std::is_same_v<T, double>) {
      return sdk::uniform_double(words[4 * pair], words[4 * pair + 1]) + 0x1p-53;
    } else {
      return sdk::positive_uniform(words[2 * pair]);
    }
  }
  LOCI_INLINE static double angle_word(const std::uint32_t* words, std::int64_t pair) {
    if constexpr (std::is_same_v<T, double>) {
      return sdk::uniform_double(words[4 * pair + 2], words[4 * pair + 3]);
    } else {
      return sdk::angle_uniform(words[2 * pair + 1]);
    }
  }

  double mean_;
  double deviation_;
};

template <class T, class Distribution>
struct Random {
  void launch(const Launch& launch) const {
    const auto* state = launch.input<std::uint64_t>(0);
    T* out = launch.output<T>(0);
    const PhiloxStream stream = philox_stream(state, state_extent, offset);
    const std::int64_t blocks = (count + kPerBlock<T> - 1) / kPerBlock<T>;
    host->parallel_for(0, blocks, grain_for(10'000), [&](std::int64_t begin, std::int64_t end) {
      std::uint32_t words[4 * kBatch];
      for (std::int64_t block = begin; block < end; block += kBatch) {
        const std::int64_t batch = std::min(kBatch, end - block);
        philox_words(stream, block, batch, words);
        const std::int64_t first = block * kPerBlock<T>;
        distribution(words, std::min(batch * kPerBlock<T>, count - first), out + first);
      }
    });
  }
  const sdk::Host* host;
  std::int64_t count;
  std::uint64_t offset;
  std::int64_t state_extent;
  Distribution distribution;
};

// `first` and `second` are the two parameters of the distribution.
template <template <class> class Distribution>
class RandomKernel : public sdk::Kernel {
 public:
  RandomKernel(const sdk::OpDesc& op, double first, double second)
      : first_(first), second_(second), offset_(sdk::read_draw_offset(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto out = prepare.op().output(0);
    sdk::visit_floats(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      prepare.emplace<Random<T, Distribution<T>>>(&prepare.host(), out.numel(), offset_,
                                                  prepare.op().input(0).numel(),
                                                  Distribution<T>(first_, second_));
    });
  }

 private:
  double first_;
  double second_;
  std::uint64_t offset_;
};

struct UniformRandom final : RandomKernel<Uniform> {
  explicit UniformRandom(const sdk::OpDesc& op)
      : UniformRandom(op, sdk::UniformOptions(op.attributes())) {}
  UniformRandom(const sdk::OpDesc& op, const sdk::UniformOptions& options)
      : RandomKernel(op, options.low, options.high) {}
};
struct GaussianRandom final : RandomKernel<Gaussian> {
  explicit GaussianRandom(const sdk::OpDesc& op)
      : GaussianRandom(op, sdk::GaussianOptions(op.attributes())) {}
  GaussianRandom(const sdk::OpDesc& op, const sdk::GaussianOptions& options)
      : RandomKernel(op, options.mean, options.deviation) {}
};

// The seed is drawn from the state, as if it were the first two words of an output.
struct FoldIn {
  void launch(const Launch& launch) const {
    const PhiloxStream stream = philox_stream(launch.input<std::uint64_t>(0), state_extent, offset);
    std::uint32_t words[4];
    philox_words(stream, has_index ? launch.input<std::int64_t>(1)[0] : 0, 1, words);
    auto* out = launch.output<std::uint64_t>(0);
    out[0] = std::uint64_t{words[1]} << 32 | words[0];
    out[1] = 0;
  }
  std::uint64_t offset;
  std::int64_t state_extent;
  bool has_index;
};

class RandomFoldIn final : public sdk::Kernel {
 public:
  explicit RandomFoldIn(const sdk::OpDesc& op) : offset_(sdk::read_draw_offset(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    prepare.emplace<FoldIn>(offset_, op.input(0).numel(), op.has_input(1));
  }

 private:
  std::uint64_t offset_;
};

// state_out is the memory of state: {seed, run}.
struct Advance {
  void launch(const Launch& launch) const noexcept { ++launch.output<std::uint64_t>(0)[1]; }
};

void prepare_advance(Prepare& prepare) { prepare.emplace<Advance>(); }

}  // namespace

void add_random(KernelDefs& kernels) {
  constexpr std::uint64_t kState = LOCI_DTYPE_BIT(LOCI_DTYPE_U64);
  kernels.push_back({.op = "uniform_random",
                     .name = kPortable,
                     .dtypes = kState,
                     .create = sdk::make_kernel<UniformRandom>,
                     .flags = LOCI_KERNEL_COUNTED_STATE});
  kernels.push_back({.op = "gaussian_random",
                     .name = kPortable,
                     .dtypes = kState,
                     .create = sdk::make_kernel<GaussianRandom>,
                     .flags = LOCI_KERNEL_COUNTED_STATE});
  kernels.push_back({.op = "random_fold_in",
                     .name = kPortable,
                     .dtypes = kState,
                     .create = sdk::make_kernel<RandomFoldIn>,
                     .flags = LOCI_KERNEL_COUNTED_STATE});
  kernels.push_back({.op = "random_advance",
                     .name = kPortable,
                     .dtypes = kState,
                     .create = sdk::make_kernel<prepare_advance>});
}

}  // namespace loci::kernels
