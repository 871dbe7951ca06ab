// shape, and copies: assign, and the ops that only change the shape.
#include <array>
#include <cstring>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"

#include <loci/plugin/dtype_visit.hpp>

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

struct Extents {
  void launch(const sdk::Launch& launch) const {
    auto* out = launch.output<std::int32_t>(0);
    for (std::size_t i = 0; i < rank; ++i) out[i] = extents[i];
  }
  std::size_t rank;
  std::array<std::int32_t, LOCI_MAX_RANK> extents;
};

void prepare_extents(sdk::Prepare& prepare) {
  const sdk::Dims dims = prepare.op().input(0).dims();
  Extents result{dims.size(), {}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result.extents[i] = static_cast<std::int32_t>(dims[i]);
  }
  prepare.emplace<Extents>(result);
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
                     .create = sdk::make_kernel<prepare_extents>});
}

}  // namespace loci::kernels
