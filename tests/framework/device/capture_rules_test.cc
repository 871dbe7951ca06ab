#include "framework/device/capture_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Capture final : public ActiveCapture {
 public:
  Capture(const Device& device, CaptureMode mode) : ActiveCapture(device, mode) {
    enter_capture(*this);
  }
  ~Capture() override { leave_capture(*this); }
  [[nodiscard]] std::string name() const override { return "graph 5 at fake:0"; }
  void invalidate(const Error& reason) override { failure = reason; }
  std::optional<Error> failure;
};

class CaptureRulesTest : public ::testing::Test {
 protected:
  test::FakeBackend fake_{{.count = 2}};
  Device device_{fake_.backend(), Place("fake:0")};
  Device other_{fake_.backend(), Place("fake:1")};
};

TEST_F(CaptureRulesTest, ACapturesOwnThreadMayNotWait) {
  Capture capture(device_, CaptureMode::kThreadLocal);
  EXPECT_NO_THROW(check_unsafe(other_, "a test waits"));
  std::thread([&] { EXPECT_NO_THROW(check_unsafe(device_, "a test waits")); }).join();
  EXPECT_FALSE(capture.failure);
  EXPECT_THAT([&] { check_unsafe(device_, "a test waits"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("a test waits while graph 5 at fake:0"),
                                         HasSubstr("mode relaxed"))));
  ASSERT_TRUE(capture.failure);
  EXPECT_THAT(capture.failure->what(), HasSubstr("a test waits"));
}

TEST_F(CaptureRulesTest, InTheModeGlobalNoThreadMay) {
  Capture capture(device_, CaptureMode::kGlobal);
  std::thread([&] {
    EXPECT_THAT([&] { check_unsafe("a test waits for all"); },
                ThrowsMessage<Error>(HasSubstr("mode thread_local")));
  }).join();
  EXPECT_TRUE(capture.failure);
}

TEST_F(CaptureRulesTest, InTheModeRelaxedAllMay) {
  Capture capture(device_, CaptureMode::kRelaxed);
  EXPECT_NO_THROW(check_unsafe(device_, "a test waits"));
  EXPECT_NO_THROW(check_unsafe("a test waits for all"));
}

TEST_F(CaptureRulesTest, NothingHoldsAfterIt) {
  { const Capture capture(device_, CaptureMode::kGlobal); }
  EXPECT_NO_THROW(check_unsafe(device_, "a test waits"));
  EXPECT_EQ(active_captures.load(), 0);
}

}  // namespace
}  // namespace loci::device
