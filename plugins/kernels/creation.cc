// fill_constant, full_like, assign_value and range.
#include <algorithm>
#include <cstring>
#include <loci/plugin/range.hpp>

#include "plugins/kernels/convert.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

template <class T>
struct Fill {
  void launch(const sdk::Launch& launch) const {
    T* out = launch.output<T>(0);
    const T value = value_in_tensor ? given(launch.input_view(1)) : constant;
    host->parallel_for(
        0, count, grain_for(20 * sizeof(T)),
        [&](std::int64_t begin, std::int64_t end) { std::fill(out + begin, out + end, value); });
  }
  static T given(const loci_view& view) {
    return sdk::visit_all(view.dtype, [&](auto tag) {
      return convert<T>(*static_cast<const typename decltype(tag)::type*>(view.data));
    });
  }

  const sdk::Host* host;
  std::int64_t count;
  T constant;
  bool value_in_tensor;  // input 1
};

// fill_constant has the inputs shape_tensor and value_tensor, full_like has x.
class FillConstant final : public sdk::Kernel {
 public:
  explicit FillConstant(const sdk::OpDesc& op) : value_(op.attributes().real("value")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const auto out = prepare.op().output(0);
    sdk::visit_all(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      prepare.emplace<Fill<T>>(&prepare.host(), out.numel(), convert<T>(value_),
                               prepare.op().has_input(1));
    });
  }

 private:
  double value_;
};

struct Assign {
  void launch(const sdk::Launch& launch) const {
    if (!bytes.empty()) std::memcpy(launch.output<char>(0), bytes.data(), bytes.size());
  }
  std::vector<char> bytes;
};

template <class T, class Number>
std::vector<char> bytes_of(const std::vector<Number>& numbers) {
  std::vector<char> bytes(numbers.size() * sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const T element = convert<T>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

class AssignValue final : public sdk::Kernel {
 public:
  explicit AssignValue(const sdk::OpDesc& op)
      : values_(op.attributes().reals("values")), integers_(op.attributes().integers("integers")) {}

  void prepare(sdk::Prepare& prepare) const override {
    sdk::visit_all(prepare.op().output(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (sdk::is_float<T>) {
        prepare.emplace<Assign>(bytes_of<T>(values_));
      } else {
        prepare.emplace<Assign>(bytes_of<T>(integers_));
      }
    });
  }

 private:
  std::vector<double> values_;
  std::vector<std::int64_t> integers_;
};

sdk::IntegerRange given_range(const loci_view& bounds) {
  return sdk::visit_indices(bounds.dtype, [&](auto tag) {
    return sdk::integer_range(static_cast<const typename decltype(tag)::type*>(bounds.data));
  });
}

template <class T>
struct Range {
  void launch(const sdk::Launch& launch) const {
    T* out = launch.output<T>(0);
    const sdk::IntegerRange integers = in_tensor ? given_range(launch.input_view(0)) : constant;
    host->parallel_for(0, count, grain_for(20 * sizeof(T)),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                           out[i] = convert<T>(integers[static_cast<std::uint64_t>(i)]);
                         }
                       });
  }

  const sdk::Host* host;
  std::int64_t count;
  sdk::IntegerRange constant;
  bool in_tensor;  // input 0
};

class RangeKernel final : public sdk::Kernel {
 public:
  explicit RangeKernel(const sdk::OpDesc& op) : bounds_(op.attributes().integers("bounds")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const auto out = prepare.op().output(0);
    const bool in_tensor = prepare.op().has_input(0);
    const sdk::IntegerRange constant =
        in_tensor ? sdk::IntegerRange() : sdk::integer_range(bounds_.data());
    sdk::visit_numbers(out.dtype(), [&](auto tag) {
      prepare.emplace<Range<typename decltype(tag)::type>>(&prepare.host(), out.numel(), constant,
                                                           in_tensor);
    });
  }

 private:
  std::vector<std::int64_t> bounds_;
};

}  // namespace

void add_creation(KernelDefs& kernels) {
  kernels.push_back({.op = "fill_constant",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<FillConstant>});
  kernels.push_back({.op = "assign_value",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<AssignValue>});
  kernels.push_back({.op = "full_like",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<FillConstant>});
  kernels.push_back({.op = "range",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<RangeKernel>});
}

}  // namespace loci::kernels
