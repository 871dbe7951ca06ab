// shape, and copies: assign, and the ops that only change the shape.
#include <cstring>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"

#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/shape.hpp>

namespace loci::kernels {
namespace {

struct Copy {
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<char>(0);
    auto* out = launch.output<char>(0);
    if (out == x) return;  // in place, or both empty
    host->parallel_for(0, bytes, grain_for(10), [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(out + begin, x + begin, static_cast<std::size_t>(end - begin));
    });
  }
  const sdk::Host* host;
  std::int64_t bytes;
};

void prepare_copy(sdk::Prepare& prepare) {
  const auto out = prepare.op().output(0);
  const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(out.dtype()));
  prepare.emplace<Copy>(&prepare.host(), out.numel() * bytes);
}

}  // namespace

void add_shape(KernelDefs& kernels) {
  for (const char* op : {"assign", "flatten", "reshape", "reshape_like", "squeeze", "unsqueeze"}) {
    kernels.push_back({.op = op,
                       .name = kPortable,
                       .dtypes = sdk::kAllBits,
                       .create = sdk::make_kernel<prepare_copy>,
                       .aliases = {{0, 0}}});
  }
  kernels.push_back({.op = "shape",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<sdk::prepare_shape>});
}

}  // namespace loci::kernels
