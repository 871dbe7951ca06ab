// What is different between two runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/profiler/aligned_paths.h"
#include "framework/profiler/median.h"
#include "framework/profiler/profile.h"

namespace loci::profiler {

// Of one side; times are nanoseconds per step.
struct DiffSide {
  double mean_ns = 0;
  Median median;         // over the steps
  double calls = 0;      // per step
  double device_ns = 0;  // mean; of the device work that it launched itself
};

// Whether the medians differ by more than chance: kYes if their intervals lie apart.
enum class Significance {
  kNo,
  kYes,
  kUnknown  // a side has too few steps for an interval of kMedianConfidence
};

struct DiffRow {
  enum class Kind { kBoth, kOnlyA, kOnlyB, kIdle, kUnaccounted };

  Kind kind = Kind::kBoth;
  std::vector<PathPart> path;  // empty for idle and unaccounted time
  DiffSide a;                  // self time
  DiffSide b;
  // Of the means, rounded so that the rows' sum is the step's to the nanosecond.
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

struct ProfileDiff {
  StepDiff step;
  std::vector<DiffRow> rows;            // largest change first
  std::vector<TransferDiff> transfers;  // those whose number or bytes per step changed
  // All of them, by whether the host waited.
  TransferDiff waited_transfers;
  TransferDiff other_transfers;
  // What makes the two hard to compare: sentences.
  std::vector<std::string> notes;
};

// Nodes are aligned by path (see aligned_paths.h). The rows are of the main thread, whose time a
// step is: other threads run beside it.
ProfileDiff compare(const Profile& a, const Profile& b);

// Whether the step got slower by more than `percent`, in the median, and not by chance. Where there
// are too few steps to tell chance apart, the change counts as it is.
bool is_slower_by(const ProfileDiff& diff, double percent);

}  // namespace loci::profiler
