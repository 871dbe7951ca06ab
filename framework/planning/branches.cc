#include "framework/planning/branches.h"

#include <algorithm>
#include <utility>

#include "framework/execution/continuation.h"
#include "framework/planning/stage_compaction.h"
#include "framework/program/control_flow.h"
#include "framework/program/inlining.h"
#include "framework/program/peeling.h"

namespace loci::planning {

using execution::KnownValues;
using execution::StageEnd;
using program::Operator;
using program::VarId;

KnownValues known_values(const EarlierStage& earlier) {
  KnownValues known = earlier.end().known;
  known.insert(known.end(), earlier.values.begin(), earlier.values.end());
  return known;
}

namespace {

// Returns true if it is a loop that waits for its first iteration to be peeled.
bool is_peeled(const Operator& op, const StageEnd& end) {
  if (!program::is_while(op)) return false;
  std::vector<ops::TensorType> types;
  for (const VarId id : program::block_inputs(op)) {
    types.push_back(end.types[static_cast<std::size_t>(id)]);
    if (!program::is_known(types.back())) return false;  // of what waits as well
  }
  return program::changes_shapes(op, types);
}

bool leaves_branches(const StageEnd& end) {
  return std::any_of(end.operators.begin(), end.operators.end(), [&](const Operator* op) {
    return program::is_branching(*op) || is_peeled(*op, end);
  });
}

}  // namespace

std::shared_ptr<const program::ProgramImpl> take_branches(EarlierStage* earlier,
                                                          const CompileOptions& options) {
  if (!leaves_branches(earlier->end())) return nullptr;
  CompactStage left = compact_stage(*earlier);
  const KnownValues known = known_values(left.earlier);
  const auto value = [&known](VarId id) {
    for (const auto& [var, tensor] : known) {
      if (var == id) return tensor;
    }
    return Tensor();
  };
  program::Block& block = left.program->main();
  program::Inliner inliner(block, value,
                           /*copies_selected=*/options.optimization == Optimization::kNone);
  std::vector<Operator> operators;
  for (Operator& op : left.operators) {
    if (is_peeled(op, left.earlier.end())) {
      program::peel(op, block, inliner, &operators);
    } else {
      inliner.add(std::move(op), &operators);
    }
  }
  block.ops = std::move(operators);
  *earlier = std::move(left.earlier);
  return left.program;
}

}  // namespace loci::planning
