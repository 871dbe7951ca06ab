#include "framework/device/capture_rules.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "framework/core/raise.h"

namespace loci::device {
namespace {

struct Captures {
  std::mutex mutex;
  std::vector<ActiveCapture*> all;
};
Captures& captures() {
  static Captures& only = *new Captures();
  return only;
}

bool forbids(const ActiveCapture& capture, const Device* device) {
  if (device != nullptr && &capture.device() != device) return false;
  if (capture.mode() == CaptureMode::kRelaxed) return false;
  return capture.mode() == CaptureMode::kGlobal || capture.is_of_this_thread();
}

}  // namespace

std::atomic<int> active_captures{0};

void enter_capture(ActiveCapture& capture) {
  const std::lock_guard lock(captures().mutex);
  captures().all.push_back(&capture);
  active_captures.fetch_add(1, std::memory_order_release);
}

void leave_capture(ActiveCapture& capture) noexcept {
  const std::lock_guard lock(captures().mutex);
  std::vector<ActiveCapture*>& all = captures().all;
  const auto found = std::find(all.begin(), all.end(), &capture);
  if (found == all.end()) return;
  all.erase(found);
  active_captures.fetch_sub(1, std::memory_order_release);
}

void check_captures(const Device* device, std::string_view action, bool is_copy) {
  const std::lock_guard lock(captures().mutex);
  for (ActiveCapture* capture : captures().all) {
    if (forbids(*capture, device)) capture->refuse(action, is_copy);
  }
}

void ActiveCapture::refuse(std::string_view action, bool /*is_copy*/) {
  const bool is_global = mode_ == CaptureMode::kGlobal;
  const Error error(
      ErrorCode::kInvalidArgument,
      fmt::format("[capture] {} while {} is being captured in the mode {}, which a device graph "
                  "cannot have; do it before the capture or after it{}",
                  action, name(), is_global ? "global" : "thread_local",
                  is_global
                      ? ", or capture in the mode thread_local, which binds its own thread alone"
                      : ", or capture in the mode relaxed"));
  invalidate(error);
  throw error;
}

void note_host_read(const std::shared_ptr<const void>& storage, std::string_view read,
                    bool decides) {
  // Told without the lock, which comes behind a capture's own.
  std::vector<std::shared_ptr<ActiveCapture>> told;
  {
    const std::lock_guard lock(captures().mutex);
    for (ActiveCapture* capture : captures().all) {
      if (capture->is_of_this_thread()) told.push_back(capture->shared());
    }
  }
  for (const std::shared_ptr<ActiveCapture>& capture : told) {
    if (capture != nullptr) capture->note_read(storage, read, decides);
  }
}

}  // namespace loci::device
