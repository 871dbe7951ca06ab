#include "tests/soak/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/soak/stacks.h"

namespace loci::soak {

Watch::Watch(std::chrono::milliseconds patience, OnHang on_hang)
    : patience_(patience), on_hang_(std::move(on_hang)), thread_([this] { look(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Watch::Doing::Doing(Watch& watch, const std::string& what) : watch_(watch) {
  const std::lock_guard lock(watch_.mutex_);
  entry_ = watch_.doing_.insert(watch_.doing_.end(), {&what, ::gettid(), Clock::now()});
}

Watch::Doing::~Doing() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.doing_.erase(entry_);
}

void Watch::look() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, patience_ / 10, [this] { return ends_; })) {
    if (doing_.empty() || Clock::now() - doing_.front().since < patience_) continue;
    const std::string found = lines();
    lock.unlock();
    return on_hang_(found);
  }
}

std::string Watch::lines() const {
  std::string text;
  for (const Entry& entry : doing_) {
    const std::chrono::duration<double> time = Clock::now() - entry.since;
    text += fmt::format("  thread {}: {:.1f} s in '{}'\n", entry.thread, time.count(), *entry.what);
  }
  return text;
}

void end_hung(const std::string& lines) {
  std::fprintf(stderr, "threads hang:\n%s", lines.c_str());
  std::fprintf(stderr, "where all threads are:\n%s", stacks_of_threads().c_str());
  std::fflush(nullptr);
  std::_Exit(3);
}

}  // namespace loci::soak
