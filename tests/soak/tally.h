// Counts what came of rounds, by many threads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace loci::soak {

class Tally {
 public:
  struct Counts {
    std::uint64_t right = 0;
    std::uint64_t failed = 0;
    std::uint64_t wrong = 0;
  };

  void add_right() { add(&Counts::right, {}); }
  // With the error; the first text of each outcome is kept.
  void add_failed(const std::string& text) { add(&Counts::failed, "failed: " + text); }
  void add_wrong(const std::string& text) { add(&Counts::wrong, "wrong: " + text); }

  [[nodiscard]] Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  // The first of each outcome but the right one, a line each.
  [[nodiscard]] std::string examples() const {
    const std::lock_guard lock(mutex_);
    std::string lines;
    for (const auto& entry : first_) lines += "  " + entry.second + "\n";
    return lines;
  }

 private:
  void add(std::uint64_t Counts::*outcome, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (++(counts_.*outcome) == 1 && !text.empty()) first_.emplace(text.substr(0, 5), text);
  }

  mutable std::mutex mutex_;
  Counts counts_;
  std::map<std::string, std::string> first_;  // by the outcome's beginning
};

}  // namespace loci::soak
