// topk and sort, by topk.cu.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/kernel_list.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/launch/team_size.h"
#include "kernels/topk/topk_layout.h"

extern "C" const unsigned long long loci_cuda_topk[];

namespace loci::cuda {
namespace {

constexpr KernelImage kTopKImage{"topk", loci_cuda_topk};

// It says which lines there are, and how much is chosen of each.
struct ChosenOfLine {
  sdk::AxisSplit split;
  std::int64_t k;
  bool is_largest;
};

// Few are found by blocks that keep the first of each run until one run is left; many by merging
// sorted runs.
class TopK {
 public:
  TopK(const sdk::Prepare& prepare, const ChosenOfLine& chosen, loci_dtype dtype)
      : chosen_(chosen),
        entry_bytes_(sdk::dtype_bytes(dtype) == 8 ? 16 : 8),
        most_(kRunBytes / entry_bytes_),
        are_few_(2 * chosen.k <= most_),
        runs_(prepare, kTopKImage, typed_name("topk_runs", dtype)),
        take_(prepare, kTopKImage, typed_name("topk_take", dtype)),
        narrow_(prepare, kTopKImage, entry_name("topk_narrow")),
        merge_(prepare, kTopKImage, entry_name("topk_merge")) {}

  // Two lists of entries.
  [[nodiscard]] std::uint64_t workspace() const { return 2 * list_bytes(); }

  void launch(const sdk::Launch& launch) const {
    const sdk::AxisSplit& split = chosen_.split;
    const std::int64_t taken = split.outer * chosen_.k * split.inner;
    if (taken == 0) return;
    auto* entries = launch.workspace<char>();
    auto* spare = entries + list_bytes();
    TopKLayout layout = layout_of(split.count);
    const void* x = launch.input<void>(0);
    runs_.launch(launch, layout.lines * layout.runs * kBlockThreads, x, entries, layout);
    const std::int64_t found = layout.runs * layout.kept;
    const std::int64_t left = are_few_ ? narrow(launch, layout, &entries, &spare) : found;
    if (!are_few_) merge(launch, layout, &entries, &spare);
    take_.launch(launch, taken, x, entries, launch.output<void>(0), launch.output<void>(1),
                 TakenLayout{split.count, split.inner, chosen_.k, taken, left});
  }

 private:
  [[nodiscard]] std::string entry_name(const std::string& stem) const {
    return stem + (entry_bytes_ == 16 ? "_wide" : "_short");
  }

  // Lines of so many elements, or entries.
  [[nodiscard]] TopKLayout layout_of(std::int64_t count) const {
    const sdk::AxisSplit& split = chosen_.split;
    const std::int64_t run = std::min(power_from(count), most_);
    return {split.outer * split.inner,
            count,
            split.inner,
            run,
            quotient_up(count, run),
            are_few_ ? std::min(chosen_.k, run) : run,
            chosen_.is_largest ? 1 : 0};
  }

  [[nodiscard]] std::uint64_t list_bytes() const {
    if (chosen_.split.count == 0) return 0;
    const TopKLayout layout = layout_of(chosen_.split.count);
    const auto entries = static_cast<std::uint64_t>(layout.lines * layout.runs * layout.kept);
    return entries * static_cast<std::uint64_t>(entry_bytes_);
  }

  // Gives how many entries each line has then.
  std::int64_t narrow(const sdk::Launch& launch, TopKLayout layout, char** entries,
                      char** spare) const {
    while (layout.runs > 1) {
      layout = layout_of(layout.runs * layout.kept);
      narrow_.launch(launch, layout.lines * layout.runs * kBlockThreads, *entries, *spare, layout);
      std::swap(*entries, *spare);
    }
    return layout.kept;
  }

  void merge(const sdk::Launch& launch, const TopKLayout& layout, char** entries,
             char** spare) const {
    const std::int64_t count = layout.runs * layout.kept;
    for (std::int64_t run = layout.run; run < count; run *= 2) {
      merge_.launch(launch, layout.lines * count, *entries, *spare, layout.lines, count, run);
      std::swap(*entries, *spare);
    }
  }

  ChosenOfLine chosen_;
  std::int64_t entry_bytes_;
  std::int64_t most_;  // entries of a run
  bool are_few_;
  KernelFunction runs_;
  KernelFunction take_;
  KernelFunction narrow_;
  KernelFunction merge_;
};

void prepare_chosen(sdk::Prepare& prepare, const ChosenOfLine& chosen) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 32) - 1;
  if (chosen.split.count > kMost) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "lines of 2^32 elements, or more");
  }
  TopK kernel(prepare, chosen, prepare.op().input(0).dtype());
  prepare.set_workspace(kernel.workspace());
  prepare.emplace<TopK>(std::move(kernel));
}

class TopKKernel final : public sdk::Kernel {
 public:
  explicit TopKKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        k_(op.attributes().integer("k")),
        is_largest_(op.attributes().boolean("largest")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    prepare_chosen(prepare, {split, k_, is_largest_});
  }

 private:
  std::int64_t axis_;
  std::int64_t k_;
  bool is_largest_;
};

class SortKernel final : public sdk::Kernel {
 public:
  explicit SortKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        is_descending_(op.attributes().boolean("descending")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    prepare_chosen(prepare, {split, split.count, is_descending_});
  }

 private:
  std::int64_t axis_;
  bool is_descending_;
};

}  // namespace

void add_topk(Kernels& kernels) {
  kernels.push_back(enqueuing("topk", sdk::kNumberBits, sdk::make_kernel<TopKKernel>));
  kernels.push_back(enqueuing("sort", sdk::kNumberBits, sdk::make_kernel<SortKernel>));
}

}  // namespace loci::cuda
