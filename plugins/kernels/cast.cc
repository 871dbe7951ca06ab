// cast, between all dtypes.
#include "plugins/kernels/convert.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {
namespace {

template <class In, class Out>
struct Convert {
  LOCI_INLINE Out operator()(In value) const { return convert<Out>(value); }
};

constexpr std::int64_t kPicoseconds = 150;  // of one element

// Between halves and float32, of which there are conversions in bulk.
template <class In, class Out>
struct HalfCast {
  void launch(const sdk::Launch& launch) const {
    const In* x = launch.input<In>(0);
    Out* out = launch.output<Out>(0);
    host->parallel_for(0, count, grain_for(kPicoseconds),
                       [&](std::int64_t begin, std::int64_t end) {
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
inline constexpr bool kIsHalfCast = (sdk::is_half<In> && std::is_same_v<Out, float>) ||
                                    (std::is_same_v<In, float> && sdk::is_half<Out>);

template <class In, class Out>
void emplace(sdk::Prepare& prepare) {
  const sdk::Host* host = &prepare.host();
  const std::int64_t count = prepare.op().output(0).numel();
  if constexpr (kIsHalfCast<In, Out>) {
    prepare.emplace<HalfCast<In, Out>>(host, count);
  } else if constexpr (sdk::is_half<In> && !std::is_same_v<In, Out>) {
    // Every half is a float32, whose loops do.
    emplace_widened_rows(prepare, count, {{1}, 1}, kPicoseconds, [&](std::int64_t rows) {
      return Map<float, Out, Convert<float, Out>>{host, rows, {}};
    });
  } else {
    prepare.emplace<Map<In, Out, Convert<In, Out>>>(host, count);
  }
}

void prepare_cast(sdk::Prepare& prepare) {
  const auto& op = prepare.op();
  sdk::visit_all(op.input(0).dtype(), [&](auto in) {
    sdk::visit_all(op.output(0).dtype(), [&](auto out) {
      emplace<typename decltype(in)::type, typename decltype(out)::type>(prepare);
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
