// pad and pad_grad, by pad.cu.
#include <algorithm>
#include <cstring>
#include <loci/plugin/op_options.hpp>
#include <loci/plugin/pad_plan.hpp>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/convert.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/launch/team_size.h"
#include "kernels/move/device_copy.h"
#include "kernels/move/pad_axes.h"

extern "C" const unsigned long long loci_cuda_pad[];

namespace loci::cuda {
namespace {

using sdk::PadMode;
using sdk::PadPlan;

constexpr KernelImage kPadImage{"pad", loci_cuda_pad};
constexpr int kMostPadWidth = 4;

PadFill fill_of(PadMode mode) {
  switch (mode) {
    case PadMode::kReflect: return PadFill::kReflect;
    case PadMode::kEdge: return PadFill::kEdge;
    case PadMode::kWrap: return PadFill::kWrap;
    default: return PadFill::kConstant;
  }
}

PadDimension dimension_of(const sdk::PadAxis& axis, std::int64_t walked, std::int64_t stride) {
  const std::int64_t shift = axis.kept > 0 ? axis.kept - axis.before % axis.kept : 0;
  return {fast_divmod_of(walked),
          fast_divmod_of(axis.kept),
          axis.first,
          axis.before,
          axis.padded,
          shift,
          stride};
}

// The threads go over one side of a pad, and read the other one.
enum class Walked { kResult, kX };

// In units of 2^width bytes.
PadDimensions dimensions_of(const PadPlan& plan, int width, Walked side) {
  PadDimensions dimensions{1, 0, fill_of(plan.mode()), {}};
  const auto push = [&](const sdk::PadAxis& axis, std::int64_t stride) {
    const std::int64_t walked = side == Walked::kResult ? axis.padded : axis.extent;
    dimensions.of[dimensions.rank++] = dimension_of(axis, walked, stride);
    dimensions.count *= walked;
  };
  const std::int64_t units = plan.unit() >> width;
  if (units > 1) push({units, units, 0, units, 0}, 1);
  for (std::size_t i = plan.rank(); i-- > 0;) {
    push(plan.axis(i), (side == Walked::kResult ? plan.stride(i) : plan.padded_stride(i)) >> width);
  }
  return dimensions;
}

// The logarithm of the most bytes that are moved at once.
int width_of(std::uint64_t unit, std::uint64_t addresses) {
  int width = 0;
  while (width < kMostPadWidth && ((unit | addresses) >> width & 1U) == 0) ++width;
  return width;
}

struct Pad {
  void launch(const sdk::Launch& launch) const {
    if (plan.is_empty()) return;
    const auto* x = launch.input<char>(0);
    auto* out = launch.output<char>(0);
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out);
    const int width = width_of(static_cast<std::uint64_t>(plan.unit()), addresses);
    const PadDimensions dimensions = dimensions_of(plan, width, Walked::kResult);
    functions[static_cast<std::size_t>(width)].launch(
        launch, quotient_up(dimensions.count, 16 >> width), x, out, dimensions, value);
  }
  std::vector<KernelFunction> functions;  // by the logarithm of a unit's bytes
  PadPlan plan;
  std::uint64_t value;  // its bits, repeated
};

// The bits of the constant as an element of T, as often as they fit.
template <class T>
std::uint64_t repeated_bits(double value, std::int64_t integer) {
  const T element = integer != 0 ? convert<T>(integer) : convert<T>(value);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; i += sizeof element) {
    std::memcpy(reinterpret_cast<char*>(&bits) + i, &element, sizeof element);
  }
  return bits;
}

class PadKernel final : public sdk::Kernel {
 public:
  explicit PadKernel(const sdk::OpDesc& op)
      : options_(op.attributes()), constants_(op.attributes()) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    std::vector<KernelFunction> functions;
    for (int width = 0; width <= kMostPadWidth; ++width) {
      functions.emplace_back(prepare, kPadImage, "pad_" + std::to_string(1 << width));
    }
    const std::uint64_t value = sdk::visit_all(x.dtype(), [&](auto tag) {
      return repeated_bits<typename decltype(tag)::type>(constants_.value, constants_.integer);
    });
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    prepare.emplace<Pad>(std::move(functions),
                         PadPlan(x.dims(), options_.pads, options_.mode, bytes), value);
  }

 private:
  sdk::PadOptions options_;
  sdk::PadConstants constants_;
};

struct PadGrad {
  void launch(const sdk::Launch& launch) const {
    if (is_cleared) return fill_on_device(*device, launch, launch.output<void>(0), 0, bytes);
    function.launch(launch, dimensions.count, launch.input<void>(1), launch.output<void>(0),
                    dimensions);
  }
  KernelFunction function;
  Device* device;
  PadDimensions dimensions;
  std::uint64_t bytes;  // of x
  bool is_cleared;      // nothing is kept of x
};

class PadGradKernel final : public sdk::Kernel {
 public:
  explicit PadGradKernel(const sdk::OpDesc& op) : options_(op.attributes()) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().output(0);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    const PadPlan plan(x.dims(), options_.pads, options_.mode, bytes);
    const bool is_cleared = plan.is_empty() || x.numel() == 0;
    prepare.emplace<PadGrad>(
        KernelFunction(prepare, kPadImage, typed_name("pad_grad", x.dtype())),
        &sdk::device_of<Device>(prepare.device()),
        is_cleared
            ? PadDimensions{}
            : dimensions_of(plan, width_of(static_cast<std::uint64_t>(bytes), 0), Walked::kX),
        static_cast<std::uint64_t>(x.numel() * bytes), is_cleared);
  }

 private:
  sdk::PadOptions options_;
};

}  // namespace

void add_pad(Kernels& kernels) {
  kernels.push_back(enqueuing("pad", sdk::kAllBits, sdk::make_kernel<PadKernel>));
  kernels.push_back(enqueuing("pad_grad", sdk::kFloatBits, sdk::make_kernel<PadGradKernel>));
}

}  // namespace loci::cuda
