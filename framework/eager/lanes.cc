#include "framework/eager/lanes.h"

#include <fmt/format.h>
#include <pthread.h>

#include <optional>
#include <utility>

#include "framework/device/device_manager.h"
#include "framework/plugin/exit_watch.h"

namespace loci::eager {

namespace {

// Those whose locks are taken, by the thread that forks.
std::vector<std::shared_ptr<core::Context>>& forking() {
  static auto& contexts = *new std::vector<std::shared_ptr<core::Context>>();
  return contexts;
}

}  // namespace

Lanes::Lanes() {
  // Devices and memory end after the workers and what they keep: what is made first ends last.
  device::DeviceManager::instance().watch_reopening([this](const device::Device& replaced) {
    for (Lane* lane : all(&replaced)) lane->leave_device();
  });
  memory::host_allocator();
  watch_process();
}

void Lanes::watch_process() {
  static std::once_flag once;
  std::call_once(once, [] { core::at_process_end(&Lanes::stop_all); });
}

// Once there is a device, so that its libraries' handlers of fork() come after these: LLVM's OpenMP
// keeps a lock from then on that the work needs which is waited for here.
void Lanes::watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(&Lanes::prepare_fork, &Lanes::resume_parent, &Lanes::resume_child);
  });
}

Lane& Lanes::make(device::Device& device, bool is_default, Lane::Issue issue,
                  std::int32_t priority) {
  watch_forks();
  return *lanes_.emplace_back(std::make_unique<Lane>(device, is_default, issue, priority));
}

Lane& Lanes::default_lane(device::Device& device) {
  const std::lock_guard lock(mutex_);
  Lane*& lane = devices_[&device].standard;
  if (lane == nullptr) lane = &make(device, /*is_default=*/true, Lane::Issue::kAtOnce);
  return *lane;
}

Lane& Lanes::copy_lane(device::Device& device, Direction direction) {
  const std::lock_guard lock(mutex_);
  OfDevice& of = devices_[&device];
  Lane*& lane = direction == Direction::kToDevice ? of.to_device : of.from_device;
  if (lane == nullptr) lane = &make(device, /*is_default=*/false, Lane::Issue::kByWorker);
  return *lane;
}

std::shared_ptr<Lane> Lanes::lease(device::Device& device, std::int32_t priority) {
  const std::int32_t nearest = device.nearest_priority(priority);
  const std::lock_guard lock(mutex_);
  std::vector<Lane*>& free = devices_[&device].free[nearest];
  Lane* lane = nullptr;
  if (free.empty()) {
    lane = &make(device, /*is_default=*/false, Lane::Issue::kAtOnce, nearest);
  } else {
    lane = free.back();
    free.pop_back();
  }
  return {lane, [this, use = core::ContextUse()](Lane* ended) { give_back(ended); }};
}

// One that is being captured is nobody else's meanwhile; it is not given again.
void Lanes::give_back(Lane* lane) {
  if (lane->recorder() != nullptr) return;
  const std::lock_guard lock(mutex_);
  devices_[&lane->device()].free[lane->priority()].push_back(lane);
}

std::vector<Lane*> Lanes::all(const device::Device* device) {
  const std::lock_guard lock(mutex_);
  std::vector<Lane*> lanes;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (device == nullptr || &lane->device() == device) lanes.push_back(lane.get());
  }
  return lanes;
}

void Lanes::synchronize(const device::Device* device) {
  std::optional<Error> first;
  for (Lane* lane : all(device)) {
    try {
      lane->synchronize();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

void Lanes::finish() noexcept {
  for (const std::unique_ptr<Lane>& lane : lanes_) (void)lane->outcome(lane->mark());
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->end();
}

std::string Lanes::stop(core::EndClock::time_point deadline) {
  std::string left;
  for (Lane* lane : all(nullptr)) {
    if (lane->stop(deadline)) continue;
    left += fmt::format("{}ops on tensors at {}", left.empty() ? "" : ", ",
                        lane->device().place().to_string());
  }
  return left;
}

std::string Lanes::stop_all(core::EndClock::time_point deadline) {
  plugin::end_if_a_plugin_exits();
  std::string left;
  for (const std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* lanes = context->find<Lanes>();
    const std::string of_context = lanes == nullptr ? std::string() : lanes->stop(deadline);
    if (!of_context.empty()) left += (left.empty() ? "" : ", ") + of_context;
  }
  return left;
}

void Lanes::prepare_fork() {
  for (std::shared_ptr<core::Context>& context : core::live_contexts()) {
    auto* lanes = context->find<Lanes>();
    if (lanes == nullptr) continue;
    lanes->mutex_.lock();
    for (const std::unique_ptr<Lane>& lane : lanes->lanes_) lane->prepare_fork();
    forking().push_back(std::move(context));
  }
}

void Lanes::resume_parent() {
  for (const std::shared_ptr<core::Context>& context : forking()) {
    auto* lanes = context->find<Lanes>();
    for (const std::unique_ptr<Lane>& lane : lanes->lanes_) lane->resume_parent();
    lanes->mutex_.unlock();
  }
  forking().clear();
}

void Lanes::resume_child() {
  for (const std::shared_ptr<core::Context>& context : forking()) {
    auto* lanes = context->find<Lanes>();
    for (const std::unique_ptr<Lane>& lane : lanes->lanes_) lane->resume_child();
    lanes->mutex_.unlock();
  }
  forking().clear();
}

}  // namespace loci::eager
