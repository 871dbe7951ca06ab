// How a profile shows a call that does more than launch: it is planned, reads on the host, or has
// its inputs brought.
#pragma once

#include <cstdint>
#include <string_view>

#include "framework/eager/call_plan.h"
#include "framework/profiler/scope.h"

namespace loci::eager {

// The operator's scope on this thread, for its phases; launch() puts the kernel's into it. Where
// the launch comes on another thread, which has the operator's scope then, this one is a part of
// it, so that each operator is counted once. On one thread; they nest.
class CallScope {
 public:
  // Opens the scope of a call that is still to be planned.
  explicit CallScope(std::string_view type);
  explicit CallScope(const CallPlan& plan);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // The innermost one of this thread; null without one, as where nothing is recorded.
  [[nodiscard]] static CallScope* innermost();
  // That one, if it is of the plan; else null.
  [[nodiscard]] static CallScope* of(const CallPlan& plan);

  // Where there is one, for what is done for the operator on another thread; else 0.
  [[nodiscard]] static profiler::LabelId innermost_label();

  // The call has been planned.
  void set_plan(const CallPlan& plan);
  // It does here what is to be seen as the operator's: it reads a value,
  void keep() { is_call_ = true; }
  // or is launched; `correlation` is that of the operator's scope.
  void launch(std::uint64_t correlation);

 private:
  CallScope(profiler::LabelId label, const CallPlan* plan);

  CallScope* const outer_;
  const CallPlan* plan_;  // which may end before the scope does
  bool is_decomposed_;
  profiler::LabelId label_;
  bool is_call_ = false;
  profiler::Scope scope_;
};

}  // namespace loci::eager
