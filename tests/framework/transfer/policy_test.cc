#include "framework/transfer/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/transfer_policy.hpp>
#include <thread>

#include "framework/memory/allocator.h"
#include "tests/support/fake_device.h"

namespace loci::transfer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

constexpr std::uint64_t kBytes = 64;

class PolicyTest : public ::testing::Test {
 protected:
  void copy_to_device(Reason reason) {
    copy({nullptr, source_.data()}, {&device_, there_.data()}, kBytes,
         {.variable = "x", .producer = "relu_0", .consumer = "softmax_0", .reason = reason},
         nullptr, /*wait=*/true);
  }
  void expect_violation(Reason reason, const std::string& text) {
    EXPECT_THAT([&] { copy_to_device(reason); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kPolicy),
                                    Property(&Error::what, HasSubstr(text)))));
  }
  [[nodiscard]] std::uint64_t moved() const { return fake_.counters().to_device; }

  mutable test::FakeBackend fake_{{}};
  device::Device device_{fake_.backend(), Place("fake:0")};
  memory::Buffer there_ = memory::device_allocator(device_).allocate(kBytes, nullptr, "there");
  std::vector<char> source_ = std::vector<char>(kBytes);
};

TEST_F(PolicyTest, ForbiddenCopiesAreNotMade) {
  const TransferGuard guard(TransferPolicy::forbid());
  for (const Reason reason :
       {Reason::kPrepareData, Reason::kHostRead, Reason::kFallback, Reason::kWriteBack}) {
    expect_violation(reason,
                     "[transfer] the policy forbids to copy 'x' (64 bytes) from cpu to "
                     "fake:0 for softmax_0 (" +
                         std::string(reason_name(reason)) + ")");
  }
  EXPECT_EQ(moved(), 0U);
}

TEST_F(PolicyTest, WhatWasAskedForTripsNothing) {
  const TransferGuard guard(TransferPolicy::forbid());
  for (const Reason reason : {Reason::kFeed, Reason::kFetch, Reason::kExplicit, Reason::kLoad}) {
    EXPECT_NO_THROW(copy_to_device(reason));
  }
  EXPECT_EQ(moved(), 4 * kBytes);
}

TEST_F(PolicyTest, CopiesWithinAPlaceTripNothing) {
  const TransferGuard guard(TransferPolicy::forbid());
  std::vector<char> result(kBytes);
  EXPECT_NO_THROW(copy({nullptr, source_.data()}, {nullptr, result.data()}, kBytes,
                       {.reason = Reason::kPrepareData}, nullptr, /*wait=*/true));
}

TEST_F(PolicyTest, ABudgetIsOfTheGuard) {
  for (int run = 0; run < 2; ++run) {
    const TransferGuard guard(TransferPolicy::synchronous(2));
    copy_to_device(Reason::kPrepareData);
    copy_to_device(Reason::kFeed);
    copy_to_device(Reason::kHostRead);
    expect_violation(Reason::kPrepareData,
                     "the host waited for 3 copies between places, and the policy allows 2; the "
                     "last is 'x' (64 bytes)");
  }
}

TEST_F(PolicyTest, TheInnermostGuardHolds) {
  const TransferGuard outer(TransferPolicy::forbid());
  {
    const TransferGuard inner(TransferPolicy::allow());
    EXPECT_NO_THROW(copy_to_device(Reason::kPrepareData));
  }
  expect_violation(Reason::kPrepareData, "forbids");
}

TEST_F(PolicyTest, OtherThreadsHaveTheirOwn) {
  const TransferGuard guard(TransferPolicy::forbid());
  std::thread other([this] { EXPECT_NO_THROW(copy_to_device(Reason::kPrepareData)); });
  other.join();
}

// Ops on tensors enqueue copies that keep the permit of the thread that asked.
TEST_F(PolicyTest, APermitIsThatOfWhoAsked) {
  const Labels labels{.variable = "x", .reason = Reason::kPrepareData};
  const End from{nullptr, source_.data()};
  const End to{&device_, there_.data()};
  Permit given;
  {
    const TransferGuard guard(TransferPolicy::synchronous(0));
    given = permit(from, to, kBytes, labels);
  }
  const TransferGuard guard(TransferPolicy::forbid());
  EXPECT_THROW((void)permit(from, to, kBytes, labels), Error);
  EXPECT_EQ(permit(from, to, 0, labels).budget(), nullptr);
  std::string text;
  std::thread other([&] {
    try {
      copy(from, to, kBytes, labels, nullptr, /*wait=*/true, given);
    } catch (const Error& error) {
      text = error.what();
    }
  });
  other.join();
  EXPECT_THAT(text,
              HasSubstr("the host waited for 1 copies between places, and the policy allows"));
}

TEST_F(PolicyTest, LoggingAllows) {
  const TransferGuard guard(TransferPolicy::log());
  EXPECT_NO_THROW(copy_to_device(Reason::kPrepareData));
  EXPECT_EQ(moved(), kBytes);
}

}  // namespace
}  // namespace loci::transfer
