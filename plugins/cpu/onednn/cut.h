// How an op is cut into parts that the thread team takes.
#pragma once

#include <cstdint>
#include <vector>

namespace loci::cpu::onednn {

struct Range {
  std::int64_t begin;
  std::int64_t count;
  [[nodiscard]] std::int64_t end() const { return begin + count; }
};

// Along which dimension; each kernel has its own.
enum class CutAxis : std::uint8_t {
  kWhole,     // not at all
  kBatch,     // images, or the leading dimension of a product
  kRows,      // of the result
  kColumns,   // of the result; filters of a convolution
  kChannels,  // of the images
  kGroups
};

struct Cut {
  CutAxis axis = CutAxis::kWhole;
  std::vector<Range> ranges = {{0, 0}};
  [[nodiscard]] bool is_whole() const { return axis == CutAxis::kWhole; }
};

// So many parts are worth it for work of so many multiplications on so many threads: 1, the
// threads, or a few for each where that leaves enough for each part, so that nobody waits long for
// a thread which the processor was taken from.
std::int64_t parts_of(double multiplications, std::uint32_t threads);

// The extent in at most `parts` ranges of multiples of `granule`, the last of what is left. They
// are equal where they can be: equal parts share a primitive.
std::vector<Range> cut_evenly(std::int64_t extent, std::int64_t granule, std::int64_t parts);

// Cuts like cut_evenly(), in fewer ranges where threads would have little to do otherwise, or a
// range would be shorter than `least`. Empty where there is no good cut.
std::vector<Range> cut_well(std::int64_t extent, std::int64_t granule, std::int64_t parts,
                            std::uint32_t threads, std::int64_t least = 1);

// How evenly the ranges share the work: their mean over the longest of them, for so many threads
// that take them in turn. 1 is best.
double evenness(const std::vector<Range>& ranges, std::uint32_t threads);

}  // namespace loci::cpu::onednn
