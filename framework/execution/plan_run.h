// One run of a plan, step by step: bind, enqueue, fetch, wait.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "framework/execution/frame.h"
#include "framework/execution/plan.h"
#include "framework/tensor/scope_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::execution {

// Returns true if the plan computes the value straight into the memory of PlanRun::bind_fetch().
[[nodiscard]] inline bool computes_in_place(const Plan& plan, const PlanFetch& fetch) {
  const PlanValue& value = value_of(plan, fetch.value);
  return value.storage == StorageKind::kFetch &&
         value.slot == static_cast<std::int32_t>(fetch.position);
}

// Has a frame of the plan for as long as it lives. A block that is run again and again binds and
// enqueues again; everything else has a new one. Of one thread. The plan outlives it.
class PlanRun {
 public:
  explicit PlanRun(const Plan& plan) : plan_(plan), frame_(plan.acquire_frame()) {}
  // Waits for what was enqueued and neither awaited nor handed over, so that nothing outlives the
  // memory it works on, and drops the frame of such a run: it has failed, and its error is the one
  // to report. Any other frame goes back to the plan.
  ~PlanRun();
  PlanRun(const PlanRun&) = delete;
  PlanRun& operator=(const PlanRun&) = delete;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Frame& frame() { return *frame_; }

  // Bind: the variables of the scope, as Frame::bind_scope;
  [[nodiscard]] bool bind_scope(tensor::ScopeImpl& scope) { return frame_->bind_scope(scope); }
  // the same where the plan has just been chosen for that scope: throws Error(kInvalidArgument),
  // because another thread has set a variable since, naming what was going on ("a loop ran");
  void require_scope(tensor::ScopeImpl& scope, std::string_view meanwhile);
  // what is fed or an argument;
  void bind(ValueId value, void* data) { frame_->bind(value, data); }
  // what the plan before this one has computed;
  void bind_live_ins(PlanRun& before);
  // and the memory into which it computes what is fetched. Nothing where that is not possible:
  // fetch() copies it then.
  void bind_fetch(const PlanFetch& fetch, void* data) {
    if (computes_in_place(plan_, fetch)) bind(fetch.value, data);
  }

  // Work that is enqueued from now on is of this run: devices are asked about it when it is
  // awaited. A block does not call this, its work is that of the run around it.
  void begin();
  // Launches everything, in order. Throws Error with the operator, its arguments and its place.
  void enqueue(StageScopes& scopes);
  // For a plan with a rest, once everything is enqueued: reads the values that the rest hangs on,
  // and finds the plan for them, which the next run is of. Throws Error as compiling does.
  [[nodiscard]] std::shared_ptr<const Plan> next(StageScopes& scopes);
  // Copies what has not been computed where it was wanted, behind what is enqueued.
  void fetch(const PlanFetch& fetch, const transfer::End& target, const transfer::Labels& labels,
             bool wait) {
    if (!computes_in_place(plan_, fetch)) copy(fetch, target, labels, wait);
  }

  // Waits on all devices. Throws the first failure; persistable variables that the run has written
  // have failed then too.
  void wait();
  // Whoever waits for the run around this one waits for it.
  void hand_over() { is_open_ = false; }
  // Gives the frame back before the end of its life; nothing may be called after it.
  void release() { plan_.release_frame(std::move(frame_)); }

 private:
  void copy(const PlanFetch& fetch, const transfer::End& target, const transfer::Labels& labels,
            bool wait);

  const Plan& plan_;
  std::unique_ptr<Frame> frame_;
  bool is_open_ = false;  // something may be enqueued that nobody has waited for
};

}  // namespace loci::execution
