#include "framework/device_graph/replay_scope.h"

#include <fmt/format.h>

#include <atomic>

#include "framework/profiler/label_table.h"
#include "framework/profiler/parts.h"

namespace loci::device_graph {

profiler::LabelId ReplayScope::label_of(std::uint64_t graph, std::uint64_t replay) {
  const profiler::LabelId part = profiler::label_of(profiler::Part::kReplayGraph);
  if (!profiler::records_at(profiler::Level::kOp)) [[likely]]
    return part;
  static std::atomic<std::uint64_t> numbered{0};
  const std::uint64_t before = numbered.fetch_add(1, std::memory_order_relaxed);
  if (before >= kMostNumbered + kMostNamed) return part;
  profiler::LabelTable& labels = profiler::LabelTable::instance();
  profiler::Label label = labels.at(part);
  label.detail = fmt::format("graph {}", graph);
  if (before < kMostNumbered) label.detail += fmt::format(", replay {}", replay);
  return labels.intern(label);
}

}  // namespace loci::device_graph
