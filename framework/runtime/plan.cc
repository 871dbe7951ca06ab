#include "framework/runtime/plan.h"

#include <utility>

#include "framework/runtime/frame.h"
#include "framework/runtime/profile_script.h"
#include "framework/runtime/stage.h"

namespace loci::runtime {

Plan::Plan() = default;

Plan::~Plan() { delete spare_.load(); }

std::unique_ptr<Frame> Plan::acquire_frame() const {
  std::unique_ptr<Frame> frame(spare_.exchange(nullptr, std::memory_order_acquire));
  if (frame) return frame;
  {
    const std::lock_guard lock(mutex_);
    if (!pool_.empty()) {
      frame = std::move(pool_.back());
      pool_.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(*this);
}

void Plan::release_frame(std::unique_ptr<Frame> frame) const {
  Frame* expected = nullptr;
  if (spare_.compare_exchange_strong(expected, frame.get(), std::memory_order_release)) {
    (void)frame.release();
    return;
  }
  const std::lock_guard lock(mutex_);
  pool_.push_back(std::move(frame));
}

const ProfileScript& Plan::profile_script(profiler::Level level) const {
  const std::size_t index = level == profiler::Level::kDetail ? 1 : 0;
  std::call_once(script_once_[index], [&] {
    scripts_[index] = std::make_unique<const ProfileScript>(make_profile_script(*this, level));
  });
  return *scripts_[index];
}

}  // namespace loci::runtime
