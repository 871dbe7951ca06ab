#include "framework/device/loss.h"

#include <new>

#include "framework/core/raise.h"

namespace loci::device {

std::string Loss::by() const {
  const std::lock_guard lock(mutex_);
  return by_;
}

bool Loss::set(Kind kind, const std::string& by) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_lost()) return false;
  try {
    by_ = by;
  } catch (const std::bad_alloc&) {
    by_.clear();  // the state counts more than its reason
  }
  kind_.store(kind, std::memory_order_release);
  return true;
}

void Loss::refuse(const Place& place) const {
  const std::string reason = by();
  core::raise(ErrorCode::kDeviceLost,
              "[device] {} is lost{}{}; what lay there is gone: use another device, or call "
              "reopen_device(), which opens it anew if its plugin can, and make it anew",
              place.to_string(), reason.empty() ? "" : ": ", reason);
}

}  // namespace loci::device
