// fill_constant, full_like, assign_value and range, by fill.cu.
#include <algorithm>
#include <cstring>
#include <loci/plugin/range.hpp>

#include "kernels/creation/assigned_bytes.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/convert.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_fill[];

namespace loci::cuda {
namespace {

constexpr KernelImage kFillImage{"fill", loci_cuda_fill};

// The bits of a number as an element.
template <class Number>
std::uint64_t element_bits(Number number, loci_dtype dtype) {
  return sdk::visit_all(dtype, [&](auto tag) {
    const auto element = convert<typename decltype(tag)::type>(number);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &element, sizeof element);
    return bits;
  });
}

// Returns the bits, in `dtype`, of the only element of a view of the host.
std::uint64_t given_bits(const loci_view& view, loci_dtype dtype) {
  return sdk::visit_all(view.dtype, [&](auto tag) {
    return element_bits(*static_cast<const typename decltype(tag)::type*>(view.data), dtype);
  });
}

struct Fill {
  void launch(const sdk::Launch& launch) const {
    const std::uint64_t element = is_in_tensor ? given_bits(launch.input_view(1), dtype) : constant;
    function.launch(launch, vectors_of(count, dtype), launch.output<void>(0), count, element);
  }
  KernelFunction function;
  loci_dtype dtype;
  std::int64_t count;
  std::uint64_t constant;
  bool is_in_tensor;  // the element is input 1
};

// fill_constant has the inputs shape_tensor and value_tensor, full_like has x.
class FillConstant final : public sdk::Kernel {
 public:
  explicit FillConstant(const sdk::OpDesc& op) : value_(op.attributes().real("value")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg out = prepare.op().output(0);
    const std::string name = typed_name("fill", of_size(sdk::dtype_bytes(out.dtype())));
    prepare.emplace<Fill>(KernelFunction(prepare, kFillImage, name), out.dtype(), out.numel(),
                          element_bits(value_, out.dtype()), prepare.op().has_input(1));
  }

 private:
  double value_;
};

// Assigns by as many launches as it takes: they bring the elements along.
struct Assign {
  void launch(const sdk::Launch& launch) const {
    for (std::size_t done = 0; done < bytes.size(); done += kAssignedBytes) {
      const std::size_t count = std::min<std::size_t>(kAssignedBytes, bytes.size() - done);
      AssignedBytes values{};
      std::memcpy(values.bytes, bytes.data() + done, count);
      function.launch(launch, static_cast<std::int64_t>(count), launch.output<char>(0) + done,
                      static_cast<std::int64_t>(count), values);
    }
  }
  KernelFunction function;
  std::vector<char> bytes;
};

class AssignValue final : public sdk::Kernel {
 public:
  explicit AssignValue(const sdk::OpDesc& op)
      : values_(op.attributes().reals("values")), integers_(op.attributes().integers("integers")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().output(0).dtype();
    const bool is_float = (sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) != 0;
    std::vector<char> bytes = is_float ? bytes_of(values_, dtype) : bytes_of(integers_, dtype);
    prepare.set_memory(bytes.size());
    prepare.emplace<Assign>(KernelFunction(prepare, kFillImage, "assign"), std::move(bytes));
  }

 private:
  template <class Number>
  static std::vector<char> bytes_of(const std::vector<Number>& numbers, loci_dtype dtype) {
    const std::uint64_t size = sdk::dtype_bytes(dtype);
    std::vector<char> bytes(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t bits = element_bits(numbers[i], dtype);
      std::memcpy(bytes.data() + i * size, &bits, size);
    }
    return bytes;
  }

  std::vector<double> values_;
  std::vector<std::int64_t> integers_;
};

sdk::IntegerRange given_range(const loci_view& bounds) {
  return sdk::visit_indices(bounds.dtype, [&](auto tag) {
    return sdk::integer_range(static_cast<const typename decltype(tag)::type*>(bounds.data));
  });
}

struct Range {
  void launch(const sdk::Launch& launch) const {
    const sdk::IntegerRange integers = is_in_tensor ? given_range(launch.input_view(0)) : constant;
    function.launch(launch, count, launch.output<void>(0), count,
                    static_cast<std::uint64_t>(integers.start),
                    static_cast<std::uint64_t>(integers.step));
  }
  KernelFunction function;
  std::int64_t count;
  sdk::IntegerRange constant;
  bool is_in_tensor;  // input 0, which is read on the host
};

class RangeKernel final : public sdk::Kernel {
 public:
  explicit RangeKernel(const sdk::OpDesc& op) : bounds_(op.attributes().integers("bounds")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg out = prepare.op().output(0);
    const bool is_in_tensor = prepare.op().has_input(0);
    prepare.emplace<Range>(
        KernelFunction(prepare, kFillImage, typed_name("range", out.dtype())), out.numel(),
        is_in_tensor ? sdk::IntegerRange() : sdk::integer_range(bounds_.data()), is_in_tensor);
  }

 private:
  std::vector<std::int64_t> bounds_;
};

}  // namespace

void add_fill(Kernels& kernels) {
  kernels.push_back(enqueuing("assign_value", sdk::kAllBits, sdk::make_kernel<AssignValue>));
  kernels.push_back(enqueuing("fill_constant", sdk::kAllBits, sdk::make_kernel<FillConstant>));
  kernels.push_back(enqueuing("full_like", sdk::kAllBits, sdk::make_kernel<FillConstant>));
  kernels.push_back(enqueuing("range", sdk::kNumberBits, sdk::make_kernel<RangeKernel>));
}

}  // namespace loci::cuda
