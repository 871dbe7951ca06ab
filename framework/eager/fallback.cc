#include "framework/eager/fallback.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/log.h"

namespace loci::eager {
namespace {

// True once for an op and a place. As many entries as there are ops and devices.
struct FallbackNotes {
  static constexpr auto kContextSlot = core::ContextSlot::kFallbackNotes;

  bool is_first(const std::string& op, const std::string& place) {
    const std::lock_guard lock(mutex);
    return seen.emplace(op, place).second;
  }

  std::mutex mutex;
  std::set<std::pair<std::string, std::string>> seen;
};

}  // namespace

void check_fallback(const CallPlan& plan, const ThreadState& thread) {
  if (plan.asked == nullptr || thread.fallback == FallbackPolicy::kAllow) return;
  const std::string& op = plan.schema->name();
  const Place place = plan.asked->place();
  if (thread.fallback == FallbackPolicy::kError) {
    dispatch::forbid_fallback(op, /*name=*/{}, place, plan.refusals);
  }
  if (plan.has_warned.exchange(true, std::memory_order_relaxed)) return;
  if (!core::in_context<FallbackNotes>().is_first(op, place.to_string())) return;
  core::log(core::Module::kEager, core::Level::kWarn,
            "{} has no kernel at {} and runs on the CPU, with copies there and back: {}", op,
            place.to_string(), plan.refusals);
}

}  // namespace loci::eager
