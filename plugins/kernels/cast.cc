// cast, between all dtypes.
#include "plugins/kernels/convert.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

template <class In, class Out>
struct Convert {
  LOCI_INLINE Out operator()(In value) const { return convert<Out>(value); }
};

void prepare_cast(sdk::Prepare& prepare) {
  const auto& op = prepare.op();
  const std::int64_t count = op.output(0).numel();
  sdk::visit_all(op.input(0).dtype(), [&](auto in) {
    using In = typename decltype(in)::type;
    sdk::visit_all(op.output(0).dtype(), [&](auto out) {
      using Out = typename decltype(out)::type;
      prepare.emplace<Map<In, Out, Convert<In, Out>>>(&prepare.host(), count);
    });
  });
}

}  // namespace

void add_cast(KernelDefs& kernels) {
  kernels.push_back({.op = "cast",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<prepare_cast>,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::kernels
