#include "framework/execution/run_recorder.h"

#include <gtest/gtest.h>

#include <thread>

namespace loci::execution {
namespace {

class NoRecorder final : public RunRecorder {
 public:
  [[nodiscard]] bool takes(const device::Device&) const override { return false; }
  [[nodiscard]] bool record(const device::Device&, std::shared_ptr<const Plan>,
                            const std::shared_ptr<tensor::ScopeImpl>&) override {
    ADD_FAILURE() << "it takes no device's";
    return false;
  }
};

TEST(RunRecorderTest, IsTheThreads) {
  EXPECT_EQ(run_recorder, nullptr);
  NoRecorder recorder;
  run_recorder = &recorder;
  std::thread([] { EXPECT_EQ(run_recorder, nullptr); }).join();
  run_recorder = nullptr;
}

}  // namespace
}  // namespace loci::execution
