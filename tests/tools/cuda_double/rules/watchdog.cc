#include "watchdog.h"

#include <cstdio>
#include <cstdlib>

namespace loci::cuda_rules {

Watchdog::Watchdog(std::chrono::seconds limit) : limit_(limit), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::OnTestStart(const ::testing::TestInfo& test) {
  const std::lock_guard lock(mutex_);
  test_ = std::string(test.test_suite_name()) + "." + test.name();
  ++generation_;
  changed_.notify_all();
}

void Watchdog::OnTestEnd(const ::testing::TestInfo&) {
  const std::lock_guard lock(mutex_);
  test_.clear();
  ++generation_;
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!finished_) {
    const int seen = generation_;
    const bool changed =
        changed_.wait_for(lock, limit_, [&] { return finished_ || generation_ != seen; });
    if (changed || test_.empty()) continue;
    std::printf("[rule] watchdog: %s took more than %d s\n", test_.c_str(),
                static_cast<int>(limit_.count()));
    std::fflush(nullptr);
    std::_Exit(3);  // no core: with a device mapped it would be huge
  }
}

}  // namespace loci::cuda_rules
