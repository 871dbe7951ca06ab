// Ends the process when a test takes too long: a rule that a driver breaks may hang.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace loci::cuda_rules {

class Watchdog : public ::testing::EmptyTestEventListener {
 public:
  explicit Watchdog(std::chrono::seconds limit);
  ~Watchdog() override;

 private:
  void OnTestStart(const ::testing::TestInfo& test) override;
  void OnTestEnd(const ::testing::TestInfo& test) override;
  void watch();

  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string test_;  // that runs; empty between tests
  int generation_ = 0;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace loci::cuda_rules
