#include "tools/loci/profile/diff_json.h"

#include <loci/abi/profile.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tools/loci/profile/diff_notes.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using profiling::DiffRow;
using profiling::DiffSide;
using profiling::PathPart;
using profiling::Significance;
using profiling::StepDiff;
using profiling::TransferDiff;

std::string_view kind_name(std::uint32_t span_kind) {
  constexpr std::array<std::string_view, LOCI_SPAN_KIND_COUNT> kNames = {
      "op", "gradient", "phase", "copy", "framework", "run", "user", "wait", "call"};
  return kNames.at(span_kind);
}

std::string_view kind_name(DiffRow::Kind kind) {
  switch (kind) {
    case DiffRow::Kind::kBoth: return "both";
    case DiffRow::Kind::kOnlyA: return "only_a";
    case DiffRow::Kind::kOnlyB: return "only_b";
    case DiffRow::Kind::kIdle: return "idle";
    case DiffRow::Kind::kUnaccounted: break;
  }
  return "unaccounted";
}

std::string_view significance_name(Significance significance) {
  switch (significance) {
    case Significance::kNo: return "no";
    case Significance::kYes: return "yes";
    case Significance::kUnknown: break;
  }
  return "unknown";
}

Json form(const DiffSide& side) {
  return {{"mean_ns", side.mean_ns},
          {"median_ns", side.median.value},
          {"low_ns", side.median.low},
          {"high_ns", side.median.high},
          {"confidence", side.median.confidence},
          {"steps", side.median.count},
          {"calls", side.calls},
          {"device_ns", side.device_ns}};
}

Json form(const StepDiff& step) {
  return {{"a", form(step.a)},
          {"b", form(step.b)},
          {"delta_ns", step.delta_ns},
          {"percent", std::isfinite(step.percent) ? Json(step.percent) : Json()},
          {"significance", significance_name(step.significance)}};
}

Json form(const DiffRow& row) {
  Json path = Json::array();
  for (const PathPart& part : row.path) {
    path.push_back(
        {{"kind", kind_name(part.kind)}, {"name", part.name}, {"instance", part.instance}});
  }
  return {{"kind", kind_name(row.kind)},
          {"path", path},
          {"a", form(row.a)},
          {"b", form(row.b)},
          {"delta_ns", row.delta_ns},
          {"significance", significance_name(row.significance)}};
}

Json form(const TransferDiff::Side& side) {
  return {{"calls", side.calls},
          {"bytes", side.bytes},
          {"calls_per_step", side.calls_per_step},
          {"bytes_per_step", side.bytes_per_step}};
}

Json sums(const TransferDiff& transfer) {
  return {{"a", form(transfer.a)}, {"b", form(transfer.b)}};
}

Json form(const TransferDiff& transfer) {
  Json result = {{"variable", transfer.variable},
                 {"reason", transfer.reason},
                 {"source", transfer.source},
                 {"target", transfer.target},
                 {"host_waited", transfer.host_waited}};
  result.update(sums(transfer));
  return result;
}

template <class T>
Json forms(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(form(value));
  return array;
}

}  // namespace

nlohmann::ordered_json diff_json(const profiling::ProfileDiff& diff) {
  return {{"step", form(diff.step)},
          {"rows", forms(diff.rows)},
          {"transfers", forms(diff.transfers)},
          {"waited_transfers", sums(diff.waited_transfers)},
          {"other_transfers", sums(diff.other_transfers)},
          {"notes", diff_notes(diff)}};
}

}  // namespace loci::runner
