#include "framework/eager/call_scope.h"

#include <new>
#include <string>

#include "framework/profiler/label_table.h"

namespace loci::eager {
namespace {

thread_local CallScope* innermost_scope = nullptr;

// Nobody who computes fails for want of a label.
profiler::LabelId label_or_other(const CallPlan& plan) noexcept {
  try {
    return label_of(plan);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

// Makes a label of the same path as that of the plan.
profiler::LabelId label_of_type(std::string_view type) {
  if (!profiler::records_at(profiler::Level::kOp)) return 0;
  return profiler::LabelTable::instance().intern({.kind = LOCI_SPAN_OP, .name = std::string(type)});
}

}  // namespace

CallScope::CallScope(std::string_view type) : CallScope(label_of_type(type), nullptr) {}

CallScope::CallScope(const CallPlan& plan) : CallScope(label_or_other(plan), &plan) {}

CallScope::CallScope(profiler::LabelId label, const CallPlan* plan)
    : outer_(innermost_scope),
      plan_(plan),
      is_decomposed_(plan != nullptr && plan->decomposition != nullptr),
      label_(label),
      scope_(label) {
  if (scope_.is_recorded()) innermost_scope = this;
}

CallScope::~CallScope() {
  if (!scope_.is_recorded()) return;
  innermost_scope = outer_;
  if (is_call_) return;
  // Other operators do its work, and are no part of it.
  if (is_decomposed_) {
    scope_.drop();
    return;
  }
  scope_.add_flags(LOCI_SPAN_PART);
}

CallScope* CallScope::innermost() { return innermost_scope; }

profiler::LabelId CallScope::innermost_label() {
  return innermost_scope == nullptr ? 0 : innermost_scope->label_;
}

CallScope* CallScope::of(const CallPlan& plan) {
  return innermost_scope != nullptr && innermost_scope->plan_ == &plan ? innermost_scope : nullptr;
}

void CallScope::set_plan(const CallPlan& plan) {
  plan_ = &plan;
  is_decomposed_ = plan.decomposition != nullptr;
  label_ = label_or_other(plan);
  scope_.relabel(label_, 0);
}

void CallScope::launch(std::uint64_t correlation) {
  is_call_ = true;
  scope_.relabel(label_or_other(*plan_), correlation);
}

}  // namespace loci::eager
