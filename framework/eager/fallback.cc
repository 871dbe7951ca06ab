#include "framework/eager/fallback.h"

#include <string>

#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/dispatch/fallback_notes.h"

namespace loci::eager {
void check_fallback(const CallPlan& plan, const ThreadState& thread) {
  if (plan.asked == nullptr) return;
  const std::string& op = plan.schema->name();
  const Place place = plan.asked->place();
  if (is_guarded()) dispatch::refuse_guarded(op, /*name=*/{}, place, plan.refusals);
  if (thread.fallback == FallbackPolicy::kAllow) return;
  if (thread.fallback == FallbackPolicy::kError) {
    dispatch::forbid_fallback(op, /*name=*/{}, place, plan.refusals);
  }
  if (plan.has_warned.exchange(true, std::memory_order_relaxed)) return;
  auto& notes = core::in_context<dispatch::FallbackNotes>();
  if (!notes.is_first(dispatch::FallbackNotes::kImperative, op, place)) return;
  core::log(core::Module::kEager, core::Level::kWarn,
            "{} has no kernel at {} and runs on the CPU, with copies there and back: {}", op,
            place.to_string(), plan.refusals);
}

}  // namespace loci::eager
