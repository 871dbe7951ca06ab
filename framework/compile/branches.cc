#include "framework/compile/branches.h"

#include <algorithm>

#include "framework/program/control_flow.h"
#include "framework/program/inlining.h"
#include "framework/program/peeling.h"
#include "framework/run/continuation.h"

namespace loci::runtime {

using program::Operator;
using program::VarId;

KnownValues known_values(const EarlierStage& earlier) {
  KnownValues known = earlier.plan->rest->end().known;
  known.insert(known.end(), earlier.values.begin(), earlier.values.end());
  return known;
}

namespace {

// Whether it is a loop that waits for its first iteration to be peeled.
bool is_peeled(const Operator& op, const StageEnd& end) {
  const bool loops = is(op, ops::Control::kLoop) || is(op, ops::Control::kLoopGradient);
  if (!loops) return false;
  std::vector<ops::TensorType> types;
  for (const VarId id : program::block_inputs(op)) {
    types.push_back(end.types[static_cast<std::size_t>(id)]);
    if (!program::is_known(types.back())) return false;  // of what waits as well
  }
  return program::changes_shapes(op, types);
}

}  // namespace

std::shared_ptr<const program::ProgramImpl> take_branches(const EarlierStage& earlier,
                                                          const CompileOptions& options) {
  const StageEnd& end = earlier.plan->rest->end();
  const bool branches = std::any_of(
      end.operators.begin(), end.operators.end(),
      [&](const Operator* op) { return program::is_branching(*op) || is_peeled(*op, end); });
  if (!branches) return nullptr;
  const KnownValues known = known_values(earlier);
  const auto value = [&known](VarId id) {
    for (const auto& [var, tensor] : known) {
      if (var == id) return tensor;
    }
    return Tensor();
  };
  auto program = std::make_shared<program::ProgramImpl>(*earlier.plan->program);
  program::Inliner inliner(program->main(), value,
                           /*copies_selected=*/options.optimization == Optimization::kNone);
  std::vector<Operator> operators;
  for (const Operator* op : end.operators) {
    if (is_peeled(*op, end)) {
      program::peel(*op, program->main(), inliner, &operators);
    } else {
      inliner.add(*op, &operators);
    }
  }
  if (!inliner.has_replaced()) return nullptr;
  program->main().ops = std::move(operators);
  return program;
}

}  // namespace loci::runtime
