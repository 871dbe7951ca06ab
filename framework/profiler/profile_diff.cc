#include "framework/profiler/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "framework/profiler/aligned_paths.h"
#include "framework/profiler/median.h"
#include "framework/profiler/run_facts.h"
#include "framework/profiler/step_times.h"
#include "framework/profiler/transfer_diff.h"

namespace loci::profiler {
namespace {

Significance significance_of(const Median& a, const Median& b) {
  if (std::min(a.confidence, b.confidence) < kMedianConfidence) return Significance::kUnknown;
  return a.high < b.low || b.high < a.low ? Significance::kYes : Significance::kNo;
}

DiffSide side_of(const StepTimes& times, std::uint32_t owner) {
  const auto steps = static_cast<double>(times.steps_ns.size());
  DiffSide side;
  const auto found = times.owners.find(owner);
  const OwnedTime owned = found == times.owners.end() ? OwnedTime{} : found->second;
  side.mean_ns = static_cast<double>(owned.total_ns) / steps;
  side.median = median_of(owned.by_step_ns, times.steps_ns.size() - owned.by_step_ns.size());
  side.calls = static_cast<double>(owned.calls) / steps;
  side.device_ns = static_cast<double>(owned.device_ns) / steps;
  return side;
}

DiffSide step_of(const StepTimes& times) {
  const auto total =
      std::accumulate(times.steps_ns.begin(), times.steps_ns.end(), std::uint64_t{0});
  DiffSide side;
  side.mean_ns = static_cast<double>(total) / static_cast<double>(times.steps_ns.size());
  side.median = median_of(times.steps_ns);
  side.calls = 1;
  return side;
}

double percent_of(double a, double b) {
  if (a == b) return 0;
  return a == 0 ? std::numeric_limits<double>::infinity() : (b - a) / a * 100;
}

class Comparison {
 public:
  Comparison(const Profile& a, const Profile& b)
      : paths_(a.abi(), b.abi()),
        a_numbers_(paths_.number(a.abi())),
        b_numbers_(paths_.number(b.abi())),
        a_(measure_steps(a, a_numbers_)),
        b_(measure_steps(b, b_numbers_)) {}

  [[nodiscard]] std::size_t a_steps() const { return a_.steps_ns.size(); }
  [[nodiscard]] std::size_t b_steps() const { return b_.steps_ns.size(); }

  [[nodiscard]] StepDiff step() const {
    StepDiff step;
    step.a = step_of(a_);
    step.b = step_of(b_);
    step.delta_ns = std::llround(step.b.mean_ns - step.a.mean_ns);
    step.percent = percent_of(step.a.median.value, step.b.median.value);
    step.significance = significance_of(step.a.median, step.b.median);
    return step;
  }

  [[nodiscard]] std::vector<DiffRow> rows() const {
    std::set<std::uint32_t> owners;
    for (const auto& [owner, time] : a_.owners) owners.insert(owner);
    for (const auto& [owner, time] : b_.owners) owners.insert(owner);
    std::vector<DiffRow> rows;
    for (const std::uint32_t owner : owners) {
      DiffRow row = row_of(owner);
      if (row.a.mean_ns != 0 || row.b.mean_ns != 0) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  [[nodiscard]] DiffRow row_of(std::uint32_t owner) const {
    DiffRow row;
    row.a = side_of(a_, owner);
    row.b = side_of(b_, owner);
    row.kind = kind_of(owner, row);
    if (owner != kIdleTime && owner != kUnaccountedTime) row.path = paths_.path(owner);
    row.significance = significance_of(row.a.median, row.b.median);
    return row;
  }

  [[nodiscard]] static DiffRow::Kind kind_of(std::uint32_t owner, const DiffRow& row) {
    if (owner == kIdleTime) return DiffRow::Kind::kIdle;
    if (owner == kUnaccountedTime) return DiffRow::Kind::kUnaccounted;
    if (row.a.calls == 0) return DiffRow::Kind::kOnlyB;
    return row.b.calls == 0 ? DiffRow::Kind::kOnlyA : DiffRow::Kind::kBoth;
  }

  AlignedPaths paths_;
  std::vector<std::uint32_t> a_numbers_;
  std::vector<std::uint32_t> b_numbers_;
  StepTimes a_;
  StepTimes b_;
};

double change_of(const DiffRow& row) { return row.b.mean_ns - row.a.mean_ns; }

// Rounds the running sum, so that no nanosecond is lost. The last row closes the sum.
void round_deltas(std::vector<DiffRow>& rows, std::int64_t total) {
  double exact = 0;
  std::int64_t given = 0;
  for (DiffRow& row : rows) {
    exact += change_of(row);
    const bool is_last = &row == &rows.back();
    const std::int64_t reached = is_last ? total : std::llround(exact);
    row.delta_ns = reached - given;
    given = reached;
  }
}

}  // namespace

ProfileDiff compare(const Profile& a, const Profile& b) {
  const Comparison comparison(a, b);
  ProfileDiff diff;
  diff.a = facts_of(a);
  diff.b = facts_of(b);
  diff.step = comparison.step();
  diff.rows = comparison.rows();
  std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow& x, const DiffRow& y) {
    return std::abs(change_of(x)) > std::abs(change_of(y));
  });
  round_deltas(diff.rows, diff.step.delta_ns);
  compare_transfers(a, comparison.a_steps(), b, comparison.b_steps(), diff);
  return diff;
}

}  // namespace loci::profiler
