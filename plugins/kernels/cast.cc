// cast, between all dtypes.
#include "plugins/kernels/convert.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

template <class In, class Out>
struct Convert {
  LOCI_INLINE Out operator()(In value) const { return convert<Out>(value); }
};

// Between float16 and float32, where processors have an instruction.
template <class In, class Out>
struct HalfCast {
  void launch(const sdk::Launch& launch) const {
    const In* x = launch.input<In>(0);
    Out* out = launch.output<Out>(0);
    host->parallel_for(0, count, grain_for(150), [&](std::int64_t begin, std::int64_t end) {
      if constexpr (sdk::is_half<In>) {
        widen(x + begin, out + begin, end - begin);
      } else {
        narrow(x + begin, out + begin, end - begin);
      }
    });
  }
  const sdk::Host* host;
  std::int64_t count;
};

template <class In, class Out>
inline constexpr bool kIsHalfCast = (std::is_same_v<In, sdk::f16> && std::is_same_v<Out, float>) ||
                                    (std::is_same_v<In, float> && std::is_same_v<Out, sdk::f16>);

void prepare_cast(sdk::Prepare& prepare) {
  const auto& op = prepare.op();
  const std::int64_t count = op.output(0).numel();
  sdk::visit_all(op.input(0).dtype(), [&](auto in) {
    using In = typename decltype(in)::type;
    sdk::visit_all(op.output(0).dtype(), [&](auto out) {
      using Out = typename decltype(out)::type;
      if constexpr (kIsHalfCast<In, Out>) {
        prepare.emplace<HalfCast<In, Out>>(&prepare.host(), count);
      } else {
        prepare.emplace<Map<In, Out, Convert<In, Out>>>(&prepare.host(), count);
      }
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
