#include "tools/conformance/verify/launch/meeting.h"

#include <chrono>
#include <thread>

namespace loci::verify {
namespace {

// For it to be opened, and for the other one then.
constexpr std::chrono::milliseconds kMostClosed{50};
constexpr std::chrono::milliseconds kMostAlone{1};
constexpr int kSpins = 1000;

// False if that does not come in time.
template <class Condition>
bool spin_until(const Condition& condition, std::chrono::milliseconds patience) {
  for (int i = 0; i < kSpins; ++i) {
    if (condition()) return true;
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

void Meeting::wait_until_open() {
  if (!spin_until([this] { return is_open_.load(); }, kMostClosed)) was_late_ = true;
}

void Meeting::arrive() {
  ++arrived_;
  wait_until_open();
  spin_until([this] { return arrived_ >= 2; }, kMostAlone);
}

}  // namespace loci::verify
