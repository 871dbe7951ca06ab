#include "framework/execution/plan_run.h"

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/execution/continuation.h"
#include "framework/profiler/parts.h"

namespace loci::execution {

PlanRun::~PlanRun() {
  if (frame_ == nullptr) return;
  if (!is_open_) {
    release();
    return;
  }
  try {
    frame_->synchronize();
  } catch (const Error& error) {
    core::log(core::Module::kExecutor, core::Level::kDebug, "after a failed run: {}", error.what());
  }
}

void PlanRun::require_scope(tensor::ScopeImpl& scope, std::string_view meanwhile) {
  if (bind_scope(scope)) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[executor] the scope changed while {}; do not set variables from another thread "
              "meanwhile",
              meanwhile);
}

void PlanRun::bind_live_ins(PlanRun& before) {
  for (const PlanLiveIn& live : plan_.live_ins) bind(live.value, before.frame().data(live.earlier));
}

void PlanRun::begin() {
  is_open_ = true;
  frame_->begin();
}

void PlanRun::enqueue(StageScopes& scopes) {
  is_open_ = true;
  frame_->run(scopes);
}

std::shared_ptr<const Plan> PlanRun::next(StageScopes& scopes) {
  frame_->read_awaited(scopes);
  scopes.enter_next(plan_);
  const profiler::Scope scope(label_of(profiler::Part::kInferShape), 0, profiler::Level::kDetail);
  return plan_.rest->next(plan_, *frame_);
}

void PlanRun::copy(const PlanFetch& fetch, const transfer::End& target,
                   const transfer::Labels& labels, bool wait) {
  const PlanValue& value = value_of(plan_, fetch.value);
  if (value.bytes == 0) return;
  device::Device* device = target.device != nullptr ? target.device : value.space;
  transfer::copy({value.space, frame_->data(fetch.value)}, target, value.bytes, labels,
                 device == nullptr ? nullptr : device->default_stream(), wait);
}

void PlanRun::wait() {
  frame_->synchronize();
  is_open_ = false;
}

}  // namespace loci::execution
