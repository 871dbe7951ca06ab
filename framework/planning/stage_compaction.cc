#include "framework/planning/stage_compaction.h"

#include <utility>

#include "framework/program/compact.h"

namespace loci::planning {
namespace {

using execution::KnownValues;
using execution::PlanFetch;
using execution::StageEnd;
using program::kNoVar;
using program::VarId;

std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

// Says by variable whether something other than an operator needs it.
std::vector<bool> needed_by_name(const StageEnd& end, const program::Block& block) {
  std::vector<bool> needed(block.vars.size());
  for (const PlanFetch& fetch : end.fetches) needed[at(block.find(fetch.name))] = true;
  for (const auto& [var, count] : end.bounded) needed[at(count)] = true;
  return needed;
}

KnownValues moved(const KnownValues& values, const std::vector<VarId>& ids) {
  KnownValues result;
  for (const auto& [id, value] : values) {
    if (ids[at(id)] != kNoVar) result.emplace_back(ids[at(id)], value);
  }
  return result;
}

StageEnd moved(const StageEnd& end, const std::vector<VarId>& ids, std::size_t count) {
  StageEnd result;
  result.fetches = end.fetches;
  result.vars.resize(count);
  result.types.resize(count);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoVar) continue;
    result.vars[at(ids[i])] = end.vars[i];
    result.types[at(ids[i])] = end.types[i];
  }
  for (const auto& [var, extent] : end.bounded) {
    if (ids[at(var)] != kNoVar) result.bounded.emplace_back(ids[at(var)], ids[at(extent)]);
  }
  result.known = moved(end.known, ids);
  return result;
}

}  // namespace

CompactStage compact_stage(const EarlierStage& earlier) {
  const StageEnd& end = earlier.end();
  const program::Block& whole = earlier.plan->program->main();
  program::Block block;
  block.vars = whole.vars;
  block.index = whole.index;
  for (const program::Operator* op : end.operators) block.ops.push_back(*op);
  const std::vector<VarId> ids = program::keep_variables(block, needed_by_name(end, block));
  auto moved_end = std::make_shared<const StageEnd>(moved(end, ids, block.vars.size()));
  std::vector<program::Operator> operators = std::exchange(block.ops, {});
  auto program = std::make_shared<program::ProgramImpl>(*earlier.plan->program, std::move(block));
  return {std::move(program),
          std::move(operators),
          {earlier.plan, moved(earlier.values, ids), std::move(moved_end)}};
}

}  // namespace loci::planning
