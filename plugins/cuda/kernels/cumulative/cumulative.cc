// cumsum and cumprod, by cumulative.cu.
#include <optional>
#include <string>
#include <utility>

#include "kernels/cumulative/cumulative_layout.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/launch/team_size.h"

extern "C" const unsigned long long loci_cuda_cumulative[];

namespace loci::cuda {
namespace {

constexpr KernelImage kCumulativeImage{"cumulative", loci_cuda_cumulative};
constexpr std::uint64_t kStateBytes = 8;  // the most

// Lines that keep a device busy by themselves are run through at once.
CumulativeLayout layout_of(const sdk::AxisSplit& split) {
  constexpr std::int64_t kRowChunk = 8192;
  constexpr std::int64_t kManyRows = 512;
  constexpr std::int64_t kColumnChunk = 128;
  constexpr std::int64_t kManyColumns = 32768;
  const bool are_rows = split.inner == 1;
  const bool are_many = split.outer * split.inner >= (are_rows ? kManyRows : kManyColumns);
  const std::int64_t chunk = are_rows ? kRowChunk : kColumnChunk;
  CumulativeLayout layout{split.outer, split.count, split.inner, split.count, 1, 0, 0};
  if (are_many || split.count <= chunk) return layout;
  layout.chunk = chunk;
  layout.chunks = quotient_up(split.count, chunk);
  return layout;
}

std::int64_t items_of(const CumulativeLayout& layout) {
  return layout.outer * layout.chunks * layout.inner;
}

// They put into the workspace what lies before each chunk.
struct Starts {
  KernelFunction totals;
  KernelFunction run;
};

struct Cumulative {
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<void>(0);
    const std::int64_t items = items_of(layout);
    const std::int64_t threads = layout.inner == 1 ? items * kBlockThreads : items;
    auto* before = starts ? launch.workspace<void>() : nullptr;
    if (starts) {
      starts->totals.launch(launch, threads, x, before, layout);
      starts->run.launch(launch, layout.outer * layout.inner, before, layout);
    }
    function.launch(launch, threads, x, before, launch.output<void>(0), layout);
  }
  CumulativeLayout layout;
  std::optional<Starts> starts;
  KernelFunction function;
};

// The name of the op is that of the kernels.
class CumulativeKernel final : public sdk::Kernel {
 public:
  explicit CumulativeKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        exclusive_(op.attributes().boolean("exclusive")),
        reverse_(op.attributes().boolean("reverse")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    CumulativeLayout layout = layout_of(sdk::AxisSplit(x.dims(), axis_));
    layout.is_exclusive = exclusive_ ? 1 : 0;
    layout.is_reverse = reverse_ ? 1 : 0;
    const auto function = [&](const char* stem) {
      const std::string name = std::string(prepare.op().name()) + stem;
      return KernelFunction(prepare, kCumulativeImage, typed_name(name, as_unsigned(x.dtype())));
    };
    const bool are_rows = layout.inner == 1;
    std::optional<Starts> starts;
    if (layout.chunks > 1) {
      starts.emplace(
          Starts{function(are_rows ? "_row_totals" : "_column_totals"), function("_starts")});
      prepare.set_workspace(static_cast<std::uint64_t>(items_of(layout)) * kStateBytes);
    }
    prepare.emplace<Cumulative>(layout, std::move(starts),
                                function(are_rows ? "_rows" : "_columns"));
  }

 private:
  std::int64_t axis_;
  bool exclusive_;
  bool reverse_;
};

}  // namespace

void add_cumulative(Kernels& kernels) {
  for (const char* op : {"cumsum", "cumprod"}) {
    kernels.push_back(
        enqueuing(op, sdk::kNumberBits, sdk::make_kernel<CumulativeKernel>, {{0, 0}}));
  }
}

}  // namespace loci::cuda
