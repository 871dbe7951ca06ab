// fill_constant and full_like.
#include <algorithm>

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

}  // namespace

void add_creation(KernelDefs& kernels) {
  kernels.push_back({.op = "fill_constant",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<FillConstant>});
  kernels.push_back({.op = "full_like",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<FillConstant>});
}

}  // namespace loci::kernels
