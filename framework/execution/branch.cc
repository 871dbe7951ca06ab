#include "framework/execution/branch.h"

#include "framework/execution/block_run.h"
#include "framework/transfer/transfer.h"

namespace loci::execution {
namespace {

bool is_true(const BranchStep& step, ValueId predicate, const Frame& frame) {
  std::uint8_t flag = 0;
  const Space space = frame.space(predicate);
  transfer::copy({space, frame.data(predicate)}, {nullptr, &flag}, sizeof flag,
                 {frame.name(predicate), "", step.name, transfer::Reason::kHostRead, kBool},
                 space == nullptr ? nullptr : space->default_stream(), /*wait=*/true);
  return flag != 0;
}

std::size_t chosen(const BranchStep& step, const Frame& frame) {
  std::size_t i = 0;
  while (i < step.predicates.size() && !is_true(step, step.predicates[i], frame)) ++i;
  return i;
}

}  // namespace

std::vector<const Plan*> BranchStep::plans() const {
  std::vector<const Plan*> list;
  for (const auto& block : blocks) list.push_back(block.get());
  return list;
}

void run_branch(const BranchStep& step, const Frame& frame) {
  std::vector<void*> arguments;
  for (const ValueId id : step.arguments) {
    arguments.push_back(id < 0 ? nullptr : frame.data(id));
  }
  std::vector<BlockResult> results;
  for (const ValueId id : step.outs) results.push_back({frame.data(id), step.name});
  BlockRun(*step.blocks[chosen(step, frame)], *step.scope).run(arguments, results);
}

}  // namespace loci::execution
