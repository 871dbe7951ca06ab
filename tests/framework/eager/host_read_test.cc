#include "framework/eager/host_read.h"

#include <loci/transfer_policy.hpp>

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

class HostReadTest : public EagerTest {
 protected:
  // The call reads that variable for that op, and is refused where a policy forbids it.
  template <class Call>
  static void expect_read(const Call& call, const std::string& variable, const std::string& op) {
    synchronize();
    transfer::clear_rows();
    call();
    synchronize();
    const std::vector<transfer::Row> rows = transfer::rows();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].labels.reason, transfer::Reason::kHostRead);
    EXPECT_EQ(rows[0].labels.variable, variable);
    EXPECT_EQ(rows[0].labels.consumer, op);
    EXPECT_TRUE(rows[0].host_waited);
    const TransferGuard guard(TransferPolicy::forbid());
    EXPECT_THAT(
        call, Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kPolicy),
                                  Property(&Error::what, AllOf(HasSubstr("'" + variable + "'"),
                                                               HasSubstr("from sim:0 to cpu for " +
                                                                         op + " (host_read)"))))));
    EXPECT_EQ(transfer::rows().size(), 1U);
  }
  static Tensor there(const Tensor& tensor) { return tensor.to("sim:0"); }
};

TEST_F(HostReadTest, WhatIsOnTheHostIsNotCopied) {
  const Tensor x = vector({1, 2});
  transfer::clear_rows();
  EXPECT_EQ(read_on_host(x, "relu.x", "relu").impl(), x.impl());
  EXPECT_TRUE(transfer::rows().empty());
}

TEST_F(HostReadTest, ReadsWhatIsStillBeingWritten) {
  const Tensor x = relu(there(vector({-1, 2})));
  EXPECT_THAT(floats(read_on_host(x, "relu.x", "relu")), ElementsAre(0, 2));
}

TEST_F(HostReadTest, ABranchReadsItsPredicate) {
  const Tensor predicate = there(Tensor::from<bool>({true}, {1}));
  const auto branch = [] { return vector({1}); };
  expect_read([&] { cond(predicate, branch, branch); }, "case.predicate", "case");
  predicate.set_name("is_warm");
  expect_read([&] { cond(predicate, branch, branch); }, "is_warm", "case");
}

TEST_F(HostReadTest, ALoopReadsItsCondition) {
  const Tensor goes_on = there(Tensor::from<bool>({false}, {1}));
  expect_read(
      [&] {
        while_loop([&](const std::vector<Tensor>&) { return goes_on; },
                   [](const std::vector<Tensor>& values) { return values; }, {vector({1})});
      },
      "while.condition", "while");
}

TEST_F(HostReadTest, ASwitchReadsItsIndexAsItIs) {
  const Tensor index = there(Tensor::from<std::int32_t>({-1}, {1}));
  const auto branch = [] { return vector({1}); };
  expect_read(
      [&] {
        switch_case(index, {{-1, branch}}, branch);
      },
      "switch_case.index", "switch_case");
  const Tensor mask = there(Tensor::from<std::int32_t>({0}, {1}));
  expect_read([&] { select_input(mask, {vector({1})}); }, "select_input.mask", "select_input");
}

TEST_F(HostReadTest, AnOpReadsItsExtentsOnce) {
  const Tensor x = there(zeros({3, 3}));
  const Tensor extents = there(Tensor::from<std::int32_t>({2, 2}, {2}));
  const FallbackGuard mild(FallbackPolicy::kAllow);
  expect_read(
      [&] {
        EXPECT_EQ(crop_tensor(x, extents).shape(), (Shape{2, 2}));
      },
      "crop_tensor.shape_tensor", "crop_tensor");
}

}  // namespace
}  // namespace loci::eager
