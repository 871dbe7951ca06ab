// nonzero, by nonzero.cu. Its result has room for all elements; how many there are is an output of
// its own, so that nothing waits for the device here.
#include <loci/plugin/dims.hpp>

#include "kernels/kernel_list.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/launch/team_size.h"
#include "kernels/nonzero/nonzero_layout.h"

extern "C" const unsigned long long loci_cuda_nonzero[];

namespace loci::cuda {
namespace {

constexpr KernelImage kNonzeroImage{"nonzero", loci_cuda_nonzero};
static_assert(kMostAxes == LOCI_MAX_RANK);

struct Nonzero {
  void launch(const sdk::Launch& launch) const {
    const void* x = launch.input<void>(0);
    auto* starts = launch.workspace<std::int64_t>();
    const std::int64_t threads = layout.chunks * kBlockThreads;
    count.launch(launch, threads, x, starts, layout);
    sum.launch(launch, kBlockThreads, starts, layout.chunks, launch.output<void>(1));
    write.launch(launch, threads, x, starts, launch.output<void>(0), layout);
  }
  KernelFunction count;
  KernelFunction sum;
  KernelFunction write;
  NonzeroLayout layout;
};

NonzeroLayout nonzero_layout(sdk::Dims dims) {
  NonzeroLayout layout{};
  layout.count = sdk::numel_of(dims);
  layout.chunks = quotient_up(layout.count, kNonzeroChunk);
  layout.rank = static_cast<std::int32_t>(dims.size());
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    layout.extents[axis] = fast_divmod_of(dims[axis]);
  }
  return layout;
}

void prepare_nonzero(sdk::Prepare& prepare) {
  const sdk::Arg x = prepare.op().input(0);
  const NonzeroLayout layout = nonzero_layout(x.dims());
  const loci_dtype dtype = as_unsigned(x.dtype());
  prepare.set_workspace(static_cast<std::uint64_t>(layout.chunks) * sizeof(std::int64_t));
  prepare.emplace<Nonzero>(
      KernelFunction(prepare, kNonzeroImage, typed_name("count_nonzero", dtype)),
      KernelFunction(prepare, kNonzeroImage, "sum_chunks"),
      KernelFunction(prepare, kNonzeroImage, typed_name("write_nonzero", dtype)), layout);
}

}  // namespace

void add_nonzero(Kernels& kernels) {
  kernels.push_back(enqueuing("nonzero", sdk::kAllBits, sdk::make_kernel<prepare_nonzero>));
}

}  // namespace loci::cuda
