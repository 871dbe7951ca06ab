#include "kernels/gather/row_sort.h"

#include <utility>

#include "device.h"
#include "kernels/gather/sorted_keys.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/team_size.h"

extern "C" const unsigned long long loci_cuda_row_sort[];

namespace loci::cuda {
namespace {

constexpr KernelImage kRowSortImage{"row_sort", loci_cuda_row_sort};

}  // namespace

RowSort::RowSort(const sdk::Prepare& prepare, loci_dtype ids, std::int64_t count, std::int64_t rows,
                 RowNames names, const char* argument)
    : count_(count),
      rows_(rows),
      names_(names),
      watch_(sdk::device_of<Device>(prepare.device()).index_record().watch(argument)),
      sort_(prepare, kRowSortImage, typed_name("sort_blocks", ids)),
      merge_(prepare, kRowSortImage, "merge_runs") {}

// Keys have 32 bits for each.
std::string RowSort::refusal(std::int64_t rows, std::int64_t count) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 32) - 1;
  return rows <= kMost && count <= kMost ? "" : "2^32 rows or ids, or more";
}

// Two lists of keys.
std::uint64_t RowSort::workspace_bytes(std::int64_t count) {
  return 2 * static_cast<std::uint64_t>(count) * sizeof(std::uint64_t);
}

const std::uint64_t* RowSort::launch(const sdk::Launch& launch, const void* ids,
                                     std::uint64_t* workspace) const {
  std::uint64_t* keys = workspace;
  std::uint64_t* merged = keys + count_;
  sort_.launch(launch, quotient_up(count_, kSortedRun) * kBlockThreads, ids, keys, count_, rows_,
               names_, watch_);
  for (std::int64_t run = kSortedRun; run < count_; run *= 2) {
    merge_.launch(launch, count_, keys, merged, count_, run);
    std::swap(keys, merged);
  }
  return keys;
}

}  // namespace loci::cuda
