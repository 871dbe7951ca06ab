#include "tests/soak/faults.h"

#include <chrono>
#include <random>

#include "framework/core/abi/error.h"
#include "framework/device/device_manager.h"
#include "plugins/sim/handles.h"

namespace loci::soak {
namespace {

constexpr std::chrono::milliseconds kPause{3};
constexpr std::int64_t kMostTasks = 60;  // until the one that fails

sim::Faults* faults_of(const Place& place) {
  device::Device& device = device::DeviceManager::instance().get(place);
  void* found = nullptr;
  device.check(
      device.api().native_handle(device.handle(), nullptr, core::to_abi("sim.faults"), &found),
      "asking for a handle");
  return static_cast<sim::Faults*>(found);
}

}  // namespace

Faults::Faults(const std::vector<Place>& places, std::uint64_t seed) {
  for (const Place& place : places) {
    if (sim::Faults* faults = faults_of(place)) countdowns_.push_back(&faults->task);
  }
  thread_ = std::thread([this, seed] { plant(seed); });
}

Faults::~Faults() {
  ends_ = true;
  thread_.join();
  for (std::atomic<std::int64_t>* countdown : countdowns_) *countdown = 0;
}

void Faults::plant(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!ends_ && !countdowns_.empty()) {
    *countdowns_[random() % countdowns_.size()] =
        1 + static_cast<std::int64_t>(random() % kMostTasks);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace loci::soak
