// uniform_random, gaussian_random, and the states that they draw from, by random.cu.
#include <cmath>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/op_options.hpp>

#include "kernels/kernel_list.h"
#include "kernels/launch/convert.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/random/draws.h"

extern "C" const unsigned long long loci_cuda_random[];

namespace loci::cuda {
namespace {

constexpr KernelImage kRandomImage{"random", loci_cuda_random};

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

template <class T>
UniformRange<sdk::compute_t<T>> range_between(double low, double high) {
  using C = sdk::compute_t<T>;
  const double scale = high - low > static_cast<double>(std::numeric_limits<C>::max()) ? 2 : 1;
  return {static_cast<C>(scale), static_cast<C>(low / scale),
          static_cast<C>(high / scale - low / scale), static_cast<C>(largest_below<T>(high)),
          !(low < high)};
}

template <class Constants>
struct Draw {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, blocks, launch.input<void>(0), launch.output<void>(0), drawn,
                    constants);
  }
  KernelFunction function;
  std::int64_t blocks;
  Drawn drawn;
  Constants constants;
};

// The part that the random ops have in common.
class RandomOp {
 public:
  explicit RandomOp(const sdk::OpDesc& op) : offset_(sdk::read_draw_offset(op.attributes())) {}

  [[nodiscard]] Drawn drawn(const sdk::OpDesc& op) const {
    return {op.output(0).numel(), offset_, op.input(0).numel() == 3};
  }

  template <class Constants>
  void emplace(sdk::Prepare& prepare, std::string_view stem, const Constants& constants) const {
    const loci_dtype dtype = prepare.op().output(0).dtype();
    const std::int64_t per_block = dtype == LOCI_DTYPE_F64 ? 2 : 4;
    const Drawn all = drawn(prepare.op());
    prepare.emplace<Draw<Constants>>(KernelFunction(prepare, kRandomImage, typed_name(stem, dtype)),
                                     (all.count + per_block - 1) / per_block, all, constants);
  }

 private:
  std::uint64_t offset_;
};

class UniformRandom final : public sdk::Kernel {
 public:
  explicit UniformRandom(const sdk::OpDesc& op) : random_(op), options_(op.attributes()) {}

  void prepare(sdk::Prepare& prepare) const override {
    sdk::visit_floats(prepare.op().output(0).dtype(), [&](auto tag) {
      random_.emplace(prepare, "uniform",
                      range_between<typename decltype(tag)::type>(options_.low, options_.high));
    });
  }

 private:
  RandomOp random_;
  sdk::UniformOptions options_;
};

class GaussianRandom final : public sdk::Kernel {
 public:
  explicit GaussianRandom(const sdk::OpDesc& op)
      : GaussianRandom(op, sdk::GaussianOptions(op.attributes())) {}
  GaussianRandom(const sdk::OpDesc& op, const sdk::GaussianOptions& options)
      : random_(op), normal_{options.mean, options.deviation} {}

  // Around another mean numbers near 0 are differences, which need more digits than float32 has.
  void prepare(sdk::Prepare& prepare) const override {
    if (normal_.mean == 0 && has_float_variance() &&
        prepare.op().output(0).dtype() != LOCI_DTYPE_F64) {
      const double variance = normal_.deviation * normal_.deviation;
      return random_.emplace(prepare, "centred_gaussian", static_cast<float>(2 * variance));
    }
    random_.emplace(prepare, "gaussian", normal_);
  }

 private:
  // Such that no product with it is too small or too large for float32.
  [[nodiscard]] bool has_float_variance() const {
    return normal_.deviation > 0x1p-40 && normal_.deviation < 0x1p60;
  }

  RandomOp random_;
  Normal normal_;
};

struct FoldIn {
  void launch(const sdk::Launch& launch) const {
    const void* index = has_index ? launch.input<void>(1) : nullptr;
    function.launch(launch, 1, launch.input<void>(0), index, launch.output<void>(0), drawn);
  }
  KernelFunction function;
  bool has_index;
  Drawn drawn;
};

class RandomFoldIn final : public sdk::Kernel {
 public:
  explicit RandomFoldIn(const sdk::OpDesc& op) : random_(op) {}

  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<FoldIn>(KernelFunction(prepare, kRandomImage, "fold_in"),
                            prepare.op().has_input(1), random_.drawn(prepare.op()));
  }

 private:
  RandomOp random_;
};

// state_out is the memory of state.
struct Advance {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, 1, launch.output<void>(0));
  }
  KernelFunction function;
};

void prepare_advance(sdk::Prepare& prepare) {
  prepare.emplace<Advance>(KernelFunction(prepare, kRandomImage, "advance"));
}

}  // namespace

void add_random(Kernels& kernels) {
  constexpr std::uint64_t kState = LOCI_DTYPE_BIT(LOCI_DTYPE_U64);
  constexpr std::uint32_t kFlags = LOCI_KERNEL_CAPTURABLE | LOCI_KERNEL_COUNTED_STATE;
  const auto add_drawing = [&](std::string_view op, sdk::CreateFn create) {
    kernels.push_back({op, kName, kState, create, nullptr, {}, kFlags});
  };
  add_drawing("gaussian_random", sdk::make_kernel<GaussianRandom>);
  add_drawing("random_fold_in", sdk::make_kernel<RandomFoldIn>);
  add_drawing("uniform_random", sdk::make_kernel<UniformRandom>);
  kernels.push_back(enqueuing("random_advance", kState, sdk::make_kernel<prepare_advance>));
}

}  // namespace loci::cuda
