#include "framework/execution/plan.h"

#include <utility>

#include "framework/execution/arena_set.h"
#include "framework/execution/branch.h"
#include "framework/execution/capture_facts.h"
#include "framework/execution/continuation.h"
#include "framework/execution/frame.h"
#include "framework/execution/loop.h"
#include "framework/execution/profile_script.h"

namespace loci::execution {

const ControlStep* Instruction::control() const {
  if (const LoopStep* found = loop()) return found;
  return branch();
}

Plan::Plan() = default;

Plan::~Plan() {
  while (take_idle_frame() != nullptr) {
  }
  delete idle_.load();
  if (memory_ != nullptr) memory_->plans -= own_bytes_;
}

std::unique_ptr<Frame> Plan::take_idle_frame() const {
  const auto take = [](std::atomic<Frame*>& idle) {
    return std::unique_ptr<Frame>(idle.exchange(nullptr, std::memory_order_acquire));
  };
  IdleFrames* shards = idle_.load(std::memory_order_acquire);
  if (shards == nullptr) return take(first_idle_);
  if (std::unique_ptr<Frame> own = take((*shards)[core::thread_shard()].frame)) return own;
  for (IdleFrame& other : *shards) {
    if (other.frame.load(std::memory_order_relaxed) == nullptr) continue;
    if (std::unique_ptr<Frame> frame = take(other.frame)) return frame;
  }
  if (first_idle_.load(std::memory_order_relaxed) != nullptr) {
    if (std::unique_ptr<Frame> frame = take(first_idle_)) return frame;
  }
  std::unique_ptr<Frame> frame;
  const std::lock_guard lock(mutex_);
  if (pool_.empty()) return nullptr;
  frame = std::move(pool_.back());
  pool_.pop_back();
  return frame;
}

std::unique_ptr<Frame> Plan::acquire_frame() const {
  std::unique_ptr<Frame> frame = take_idle_frame();
  if (frame == nullptr) frame = std::make_unique<Frame>(*this);
  if (shares_arenas()) frame->take_arenas(memory_->arenas.take());
  return frame;
}

Plan::IdleFrames& Plan::by_shard() const {
  IdleFrames* known = idle_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<IdleFrames>();
  // Another thread may have been faster.
  if (idle_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

void Plan::drop_idle_frames() const {
  while (take_idle_frame() != nullptr) {
  }
  if (rest) rest->drop_idle_frames();
  for (const Instruction& instruction : instructions) {
    const ControlStep* control = instruction.control();
    if (control == nullptr) continue;
    for (const Plan* block : control->plans()) block->drop_idle_frames();
  }
}

void Plan::count_in(std::shared_ptr<PlanMemory> memory) {
  if (memory == nullptr) return;
  memory_ = std::move(memory);
  own_bytes_ = plan_bytes(*this);
  memory_->plans += own_bytes_;
}

void Plan::release_frame(std::unique_ptr<Frame> frame) const {
  if (shares_arenas()) memory_->arenas.give(frame->leave_arenas());
  const auto gives = [&frame](std::atomic<Frame*>& idle) {
    Frame* expected = nullptr;
    const bool is_free =
        idle.compare_exchange_strong(expected, frame.get(), std::memory_order_release);
    if (is_free) (void)frame.release();
    return is_free;
  };
  if (idle_.load(std::memory_order_relaxed) == nullptr && gives(first_idle_)) return;
  if (gives(by_shard()[core::thread_shard()].frame)) return;
  const std::lock_guard lock(mutex_);
  pool_.push_back(std::move(frame));
}

bool Plan::shares_arenas() const { return memory_ != nullptr && !is_block && captures == nullptr; }

const ProfileScript& Plan::profile_script(profiler::Level level) const {
  const std::size_t index = level == profiler::Level::kDetail ? 1 : 0;
  std::call_once(script_once_[index], [&] {
    scripts_[index] = std::make_unique<const ProfileScript>(make_profile_script(*this, level));
  });
  return *scripts_[index];
}

const std::vector<ProfileScript>& Plan::core_scripts(profiler::Level level) const {
  const std::size_t index = level == profiler::Level::kDetail ? 1 : 0;
  std::call_once(core_script_once_[index],
                 [&] { core_scripts_[index] = make_core_scripts(*this, level); });
  return core_scripts_[index];
}

}  // namespace loci::execution
