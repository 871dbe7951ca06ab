#include "framework/execution/block_run.h"

#include "framework/core/raise.h"
#include "framework/program/printer.h"

namespace loci::execution {
namespace {

constexpr std::string_view kMeanwhile = "a loop or a branch ran";

// The type of a fetched value against the one that it must have.
void check_result(const PlanValue& given, const PlanResult& wanted) {
  if (wanted.type.dtype == DType::kNone) {
    if (given.bytes == 1) return;
    core::raise(ErrorCode::kInvalidArgument,
                "[while] the condition is {}; give one element of bool",
                program::type_text(given.type));
  }
  if (given.type == wanted.type) return;
  core::raise(
      ErrorCode::kInvalidArgument,
      "[while] '{}' becomes {}, but it is {} at first, and an extent that hangs on values "
      "may not change in a loop; give it a fixed one, by padding with a count beside it, or "
      "compute it behind the loop",
      wanted.name, program::type_text(given.type), program::type_text(wanted.type));
}

}  // namespace

BlockRun::BlockRun(const Plan& plan, tensor::ScopeImpl& scope) : first_(plan), scope_(scope) {
  first_.require_scope(scope_, kMeanwhile);
}

void BlockRun::run(const std::vector<void*>& arguments, const std::vector<BlockResult>& results) {
  const std::vector<ValueId>& used = first_.plan().arguments;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] >= 0) first_.bind(used[i], arguments[i]);
  }
  StageScopes scopes;
  run_stage(first_, results, scopes);
}

void BlockRun::run_stage(PlanRun& stage, const std::vector<BlockResult>& results,
                         StageScopes& scopes) {
  bind_results(stage, results);
  stage.enqueue(scopes);
  copy_results(stage, results);
  if (stage.plan().rest) {
    const auto next = stage.next(scopes);
    PlanRun rest(*next);
    rest.require_scope(scope_, kMeanwhile);
    rest.bind_live_ins(stage);
    run_stage(rest, results, scopes);
  }
  stage.hand_over();
}

void BlockRun::bind_results(PlanRun& stage, const std::vector<BlockResult>& results) const {
  for (const PlanFetch& fetch : stage.plan().fetches) {
    check_result(value_of(stage.plan(), fetch.value), first_.plan().results[fetch.position]);
    stage.bind_fetch(fetch, results[fetch.position].data);
  }
}

void BlockRun::copy_results(PlanRun& stage, const std::vector<BlockResult>& results) {
  for (const PlanFetch& fetch : stage.plan().fetches) {
    const PlanValue& value = value_of(stage.plan(), fetch.value);
    const PlanResult& planned = stage.plan().results[fetch.position];
    const BlockResult& result = results[fetch.position];
    const auto reason =
        result.host_reads ? transfer::Reason::kHostRead : transfer::Reason::kPrepareData;
    stage.fetch(fetch, {planned.space, result.data},
                {value.name, planned.producer, result.consumer, reason, value.type.dtype},
                /*wait=*/planned.space != value.space);
  }
}

}  // namespace loci::execution
