// The difference between two runs, as data: profiling::compare() makes it from two profiles, see
// loci/profiler.hpp, and `loci profile diff` shows it. Plain values, without a link to the
// profiles.
//
// Times are nanoseconds; A is the first profile, B the second. The rows are of the main thread,
// whose time a step is: other threads run beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace profiling {

// The median of a sample, and how well it is known.
struct Median {
  double value = 0;
  // Values of the sample between which the median of what was sampled lies.
  double low = 0;
  double high = 0;
  double confidence = 0;  // with this probability, in [0, 1)
  std::size_t count = 0;
};

// The values of one side; times are per step.
struct DiffSide {
  double mean_ns = 0;
  Median median;         // over the steps
  double calls = 0;      // per step
  double device_ns = 0;  // mean; of the device work that it launched itself
};

// Says if the medians differ by more than chance: kYes if their intervals lie apart.
enum class Significance {
  kNo,
  kYes,
  kUnknown  // a side has too few steps for an interval of 95 % confidence
};

// One level of a path.
struct PathPart {
  std::uint32_t kind = 0;  // LOCI_SPAN_* of loci/abi/profile.h
  std::string name;
  std::string instance;  // of an operator, else empty

  friend bool operator==(const PathPart& a, const PathPart& b) {
    return a.kind == b.kind && a.name == b.name && a.instance == b.instance;
  }
};

struct DiffRow {
  enum class Kind { kBoth, kOnlyA, kOnlyB, kIdle, kUnaccounted };

  Kind kind = Kind::kBoth;
  std::vector<PathPart> path;  // from the outermost span on; empty for idle and unaccounted time
  DiffSide a;                  // self time
  DiffSide b;
  // The difference of the means, rounded so that the rows' sum is the step's to the nanosecond.
  std::int64_t delta_ns = 0;
  Significance significance = Significance::kNo;
};

struct StepDiff {
  DiffSide a;
  DiffSide b;
  std::int64_t delta_ns = 0;  // of the means, rounded
  double percent = 0;         // change of the median, of a's; infinite if that is 0 and b's is not
  Significance significance = Significance::kNo;
};

// Copies between two places. Counted over the whole session, so that what lies between steps is
// there too.
struct TransferDiff {
  struct Side {
    std::uint64_t calls = 0;  // in the session
    std::uint64_t bytes = 0;
    double calls_per_step = 0;
    double bytes_per_step = 0;
  };

  std::string variable;
  std::string reason;
  std::string source;
  std::string target;
  bool host_waited = false;
  Side a;
  Side b;
};

// The facts that a profile tells of its run. Two that differ in them are hard to compare.
struct RunFacts {
  std::string machine;
  std::string program;
  std::string version;
  std::string build;
  std::vector<std::string> places;
  std::uint32_t level = 0;         // LOCI_PROFILE_LEVEL_* of loci/abi/profile.h
  std::uint64_t steps = 0;         // 0: the session counts as one
  std::uint64_t threads = 0;       // of which the main one is compared
  std::uint64_t lost_records = 0;  // that the session had no room for
};

struct ProfileDiff {
  RunFacts a;
  RunFacts b;
  StepDiff step;
  std::vector<DiffRow> rows;            // largest change first
  std::vector<TransferDiff> transfers;  // those whose number or bytes per step changed
  // All of them, by whether the host waited.
  TransferDiff waited_transfers;
  TransferDiff other_transfers;
};

// Returns true if the step got slower by more than `percent`, in the median, and not by chance.
// Where there are too few steps to tell chance apart, the change counts as it is.
[[nodiscard]] inline bool is_slower_by(const ProfileDiff& diff, double percent) {
  return diff.step.percent > percent && diff.step.significance != Significance::kNo;
}

}  // namespace profiling
}  // namespace v0
}  // namespace loci
