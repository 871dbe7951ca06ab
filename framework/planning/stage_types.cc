#include "framework/planning/stage_types.h"

#include "framework/execution/continuation.h"
#include "framework/planning/branches.h"
#include "framework/program/control_flow.h"

namespace loci::planning {
namespace {

using execution::Plan;
using execution::StageEnd;
using program::VarId;

void set_extent(const EarlierStage& earlier, VarId id, VarId count, TypeBinder* binder) {
  ops::TensorType type = binder->type(id);
  for (const auto& [known, value] : earlier.values) {
    if (known != count) continue;
    type.shape.set(0, value.data<std::int64_t>()[0]);
    return binder->set_type(id, type);
  }
  binder->set_bounded(id, type, count);
}

void resume_types(const EarlierStage& earlier, TypeBinder* binder) {
  const StageEnd& end = earlier.end();
  for (std::size_t i = 0; i < end.types.size(); ++i) {
    binder->set_type(static_cast<VarId>(i), end.types[i]);
  }
  for (const auto& [id, value] : known_values(earlier)) binder->set_host_value(id, value);
  for (const auto& [id, count] : end.bounded) set_extent(earlier, id, count, binder);
}

}  // namespace

void begin_types(const PlanRequest& request, const Plan& plan, TypeBinder* binder) {
  if (request.earlier != nullptr) return resume_types(*request.earlier, binder);
  if (request.block == nullptr) return binder->bind_feeds(plan.feeds);
  const program::Block& block = plan.program->main();
  for (std::size_t i = 0; i < block.arguments.size(); ++i) {
    binder->set_type(block.arguments[i], request.block->arguments[i].type);
  }
}

std::vector<const program::Operator*> operators_of_stage(const PlanRequest& request,
                                                         const Plan& plan) {
  const EarlierStage* earlier = request.earlier;
  if (earlier != nullptr && plan.program == earlier->plan->program) {
    return earlier->end().operators;
  }
  std::vector<const program::Operator*> operators;
  for (const program::Operator& op : plan.program->main().ops) operators.push_back(&op);
  return operators;
}

bool peels(const program::Operator& op, TypeBinder* binder) {
  if (!program::is_while(op)) return false;
  std::vector<ops::TensorType> types;
  for (const VarId id : program::block_inputs(op)) types.push_back(binder->require(id, op));
  return program::changes_shapes(op, types);
}

}  // namespace loci::planning
