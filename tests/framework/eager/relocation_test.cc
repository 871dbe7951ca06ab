#include "framework/eager/relocation.h"

#include <loci/transfer_policy.hpp>

#include "framework/eager/call.h"
#include "framework/eager/placing.h"
#include "framework/transfer/transfer.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class RelocationTest : public EagerTest {
 protected:
  // Returns the copies between places that the calls make.
  template <class Calls>
  static std::vector<transfer::Row> rows_of(const Calls& calls) {
    synchronize();
    transfer::clear_rows();
    calls();
    synchronize();
    return transfer::rows();
  }
  static std::string text_of(const transfer::Row& row) {
    return std::string(transfer::reason_name(row.labels.reason)) + " " + row.labels.variable + " " +
           row.from.to_string() + ">" + row.to.to_string() + " " + row.labels.producer + ">" +
           row.labels.consumer;
  }
  static std::vector<std::string> texts_of(const std::vector<transfer::Row>& rows) {
    std::vector<std::string> texts;
    for (const transfer::Row& row : rows) texts.push_back(text_of(row));
    return texts;
  }
  // The calls are refused with that text, and nothing is copied.
  template <class Calls>
  static void expect_refused(const Calls& calls, const std::string& text) {
    const auto rows = rows_of([&] {
      const TransferGuard guard(TransferPolicy::forbid());
      EXPECT_THAT(
          calls,
          Throws<Error>(AllOf(
              Property(&Error::code, ErrorCode::kPolicy),
              Property(&Error::what, HasSubstr("[transfer] the policy forbids to copy " + text +
                                               "; put the operators where their inputs are, or "
                                               "allow transfers")))));
    });
    EXPECT_THAT(texts_of(rows), ElementsAre());
  }
  static Tensor add_at_cpu(const Tensor& x, const Tensor& y) {
    const DeviceGuard guard("cpu");
    return x + y;
  }
  // Sim has no kernel of it.
  static Tensor fallback(const Tensor& x) {
    const FallbackGuard mild(FallbackPolicy::kAllow);
    return argmax(x);
  }
};

TEST_F(RelocationTest, WhatIsThereStays) {
  const Tensor x = vector({1});
  EXPECT_EQ(relocate(x, host_device(), {}, nullptr).impl(), x.impl());
}

TEST_F(RelocationTest, EachCopyIsInTheLedger) {
  const Tensor x = vector({1, 2});
  x.set_name("signal");
  synchronize();
  transfer::clear_rows();
  {
    const DeviceGuard guard("sim:0");
    (void)floats(relu(x));
  }
  const std::vector<transfer::Row> rows = transfer::rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_STREQ(rows[0].labels.variable, "signal");
  EXPECT_STREQ(rows[0].labels.consumer, "relu");
  EXPECT_EQ(rows[0].labels.reason, transfer::Reason::kPrepareData);
  EXPECT_EQ(rows[1].labels.reason, transfer::Reason::kExplicit);
  EXPECT_TRUE(rows[1].host_waited);
}

TEST_F(RelocationTest, WhatIsUsedTwiceIsCopiedOnce) {
  const Tensor x = vector({1, 2}).to("sim:0");
  const auto rows = rows_of([&] { EXPECT_THAT(floats(add_at_cpu(x, x)), ElementsAre(2, 4)); });
  EXPECT_THAT(texts_of(rows),
              ElementsAre("prepare_data elementwise_add.x sim:0>cpu >elementwise_add"));
}

TEST_F(RelocationTest, TheGradientOfWhatIsUsedTwiceIsWhole) {
  const Tensor x = variable({1, 2}, "sim:0");
  mean(add_at_cpu(x, x)).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(1, 1));
}

TEST_F(RelocationTest, AFallbackIsTheReasonOfItsCopiesThereAndBack) {
  const Tensor x = vector({1, 3, 2}).to("sim:0");
  x.set_name("scores");
  const auto rows = rows_of([&] { (void)fallback(x); });
  EXPECT_THAT(texts_of(rows), ElementsAre("fallback scores sim:0>cpu >argmax",
                                          "fallback argmax.out cpu>sim:0 argmax>"));
}

TEST_F(RelocationTest, APolicyForbidsWhatAnOpWouldCopy) {
  const Tensor x = vector({1, 2}).to("sim:0");
  x.set_name("x");
  expect_refused([&] { fallback(x); }, "'x' (8 bytes) from sim:0 to cpu for argmax (fallback)");
  expect_refused([&] { add_at_cpu(x, x); },
                 "'x' (8 bytes) from sim:0 to cpu for elementwise_add (prepare_data)");
  expect_refused([&] { x + Tensor::scalar(1.0F); },
                 "'elementwise_add.y' (4 bytes) from cpu to sim:0 for elementwise_add "
                 "(prepare_data)");
}

TEST_F(RelocationTest, APolicyForbidsToChangeWhatLiesElsewhere) {
  const Tensor x = vector({1, 2}).to("sim:0");
  const auto change = [&x] {
    const DeviceGuard guard("cpu");
    x.fill_(3);
  };
  expect_refused(change, "'full_like.out' (8 bytes) from cpu to sim:0 by full_like (write_back)");
}

TEST_F(RelocationTest, WhatWasAskedForIsAllowed) {
  const TransferGuard guard(TransferPolicy::forbid());
  const Tensor x = vector({1, 2}).to("sim:0");
  EXPECT_THAT(floats(x + x), ElementsAre(2, 4));
  EXPECT_THAT(floats(x + 1.0), ElementsAre(2, 3)) << "a number is no tensor";
}

TEST_F(RelocationTest, APolicyLogsEachCopyOnce) {
  const Tensor x = vector({1, 2}).to("sim:0");
  const TransferGuard guard(TransferPolicy::log());
  ::testing::internal::CaptureStderr();
  fallback(x);
  synchronize();
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::string there = "copies 'argmax.x' (8 bytes) from sim:0 to cpu for argmax (fallback)";
  const std::string back = "copies 'argmax.out' (8 bytes) from cpu to sim:0 by argmax (fallback)";
  for (const std::string& line : {there, back}) {
    EXPECT_THAT(text, HasSubstr(line));
    EXPECT_EQ(text.find(line), text.rfind(line)) << text;
  }
}

TEST_F(RelocationTest, ABudgetCountsWhatTheHostWaitedFor) {
  const Tensor x = vector({1, 2}).to("sim:0");
  Tensor sum;
  {
    const TransferGuard guard(TransferPolicy::synchronous(1));
    for (int i = 0; i < 2; ++i) sum = add_at_cpu(x, vector({1, 2}));
  }
  // The copies may be made after the guard has ended.
  EXPECT_THAT([&] { floats(sum); },
              Throws<Error>(AllOf(
                  Property(&Error::code, ErrorCode::kPolicy),
                  Property(&Error::what, HasSubstr("the host waited for 2 copies between places, "
                                                   "and the policy allows 1")))));
}

TEST_F(RelocationTest, AnythingGoesAnywhere) {
  const Tensor x = vector({1, 2}).to("sim:0").to("sim:1").to("sim:2").to("cpu");
  EXPECT_THAT(floats(x), ElementsAre(1, 2));
}

TEST_F(RelocationTest, TheSourceMayEndBeforeTheCopyDoes) {
  Tensor there;
  for (int i = 0; i < 20; ++i) {
    there = full({1 << 16}, i).to("sim:0");
    const Tensor back = there.to("cpu");
    there = Tensor();
    EXPECT_EQ(back.to_vector<float>()[(1 << 16) - 1], static_cast<float>(i));
  }
}

}  // namespace
}  // namespace loci::eager
