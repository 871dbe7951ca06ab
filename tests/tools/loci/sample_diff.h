// A comparison to show: what profiling::compare() makes of a slice whose offsets come from the
// device, and of the crop that took its place.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <loci/profile_diff.hpp>
#include <string>
#include <utility>
#include <vector>

namespace loci::runner_test {

inline profiling::RunFacts sample_facts() {
  profiling::RunFacts facts;
  facts.machine = "a test's machine";
  facts.program = "example";
  facts.version = "0.1.0";
  facts.build = "test";
  facts.places = {"sim:0"};
  facts.level = LOCI_PROFILE_LEVEL_DETAIL;
  facts.steps = 10;
  facts.threads = 1;
  return facts;
}

// Ten steps of that median, each a fifth of a microsecond more than the one before.
inline profiling::DiffSide step_side(double median_ns) {
  profiling::DiffSide side;
  side.mean_ns = median_ns;
  side.median = {median_ns, median_ns - 700, median_ns + 700, 0.978515625, 10};
  side.calls = 1;
  return side;
}

inline profiling::DiffRow row(profiling::DiffRow::Kind kind, std::vector<profiling::PathPart> path,
                              double a_ns, double b_ns) {
  profiling::DiffRow made;
  made.kind = kind;
  made.path = std::move(path);
  made.a.mean_ns = a_ns;
  made.b.mean_ns = b_ns;
  made.delta_ns = static_cast<std::int64_t>(b_ns - a_ns);
  made.significance = a_ns == b_ns ? profiling::Significance::kNo : profiling::Significance::kYes;
  return made;
}

inline std::vector<profiling::DiffRow> sample_rows() {
  using Kind = profiling::DiffRow::Kind;
  const profiling::PathPart run{LOCI_SPAN_RUN, "run", ""};
  const profiling::PathPart slice{LOCI_SPAN_OP, "slice", "slice_0"};
  const profiling::PathPart crop{LOCI_SPAN_OP, "crop", "crop_0"};
  const profiling::PathPart compute{LOCI_SPAN_PHASE, "compute", ""};
  return {row(Kind::kOnlyB, {run, crop, compute}, 0, 400'000),
          row(Kind::kIdle, {}, 400'000, 0),
          row(Kind::kOnlyA, {run, slice, compute}, 300'000, 0),
          row(Kind::kBoth, {run}, 100'000, 0),
          row(Kind::kOnlyB, {run, crop}, 0, 100'000),
          row(Kind::kBoth, {run, {LOCI_SPAN_FRAMEWORK, "plan", ""}}, 100'000, 100'000),
          row(Kind::kUnaccounted, {}, 100'900, 100'900)};
}

// A transfer of 8 bytes, once a step, for which the host waits; B has none.
inline profiling::TransferDiff lost_transfer(const std::string& variable) {
  profiling::TransferDiff transfer;
  transfer.variable = variable;
  transfer.reason = "prepare_data";
  transfer.source = "sim:0";
  transfer.target = "cpu";
  transfer.host_waited = true;
  transfer.a = {10, 80, 1, 8};
  return transfer;
}

inline profiling::ProfileDiff slice_to_crop() {
  profiling::ProfileDiff diff;
  diff.a = diff.b = sample_facts();
  diff.step.a = step_side(1'000'900);
  diff.step.b = step_side(700'900);
  diff.step.delta_ns = -300'000;
  diff.step.percent = -300'000.0 / 1'000'900 * 100;
  diff.step.significance = profiling::Significance::kYes;
  diff.rows = sample_rows();
  diff.transfers = {lost_transfer("ends"), lost_transfer("starts")};
  diff.waited_transfers.host_waited = true;
  diff.waited_transfers.a = {20, 160, 2, 16};
  return diff;
}

}  // namespace loci::runner_test
