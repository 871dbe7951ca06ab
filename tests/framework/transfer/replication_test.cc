#include "framework/transfer/replication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/transfer_policy.hpp>

#include "framework/tensor/tensor_impl.h"
#include "tests/support/plugin_setup.h"

namespace loci::transfer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ReplicationTest : public ::testing::Test {
 protected:
  ReplicationTest() {
    test::use_test_plugins("lib/loci/toy_plugin");
    constant_ = Tensor::from<float>({1, 2, 3}, {3});
    clear_rows();
  }
  std::shared_ptr<const tensor::Replica> at_toy() const {
    return replica(constant_, Place("toy:0"), {"rate", "", "sgd_1", Reason::kPrepareData});
  }
  static std::vector<std::string> reasons() {
    std::vector<std::string> list;
    for (const Row& row : rows()) list.emplace_back(reason_name(row.labels.reason));
    return list;
  }

  Tensor constant_;
};

TEST_F(ReplicationTest, IsCopiedOnce) {
  const auto first = at_toy();
  EXPECT_EQ(at_toy(), first);
  EXPECT_EQ(first->tensor.place(), Place("toy:0"));
  EXPECT_THAT(first->tensor.to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(reasons().front(), "load");
  EXPECT_STREQ(rows().front().labels.variable, "rate");
  EXPECT_STREQ(rows().front().labels.consumer, "sgd_1");
}

TEST_F(ReplicationTest, IsCopiedAgainAfterAChange) {
  const auto first = at_toy();
  constant_.copy_(Tensor::from<float>({4, 5, 6}, {3}));
  const auto second = at_toy();
  EXPECT_NE(second, first);
  EXPECT_THAT(second->tensor.to_vector<float>(), ElementsAre(4, 5, 6));
  EXPECT_THAT(first->tensor.to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(at_toy(), second);
}

TEST_F(ReplicationTest, WhoeverHasTheAddressMayChangeItUnseen) {
  const auto first = at_toy();
  auto* elements = static_cast<float*>(constant_.raw_data());
  elements[0] = 7;
  EXPECT_THAT(at_toy()->tensor.to_vector<float>(), ElementsAre(7, 2, 3));
  elements[0] = 8;
  EXPECT_THAT(at_toy()->tensor.to_vector<float>(), ElementsAre(8, 2, 3));
}

// Copies that a plan cannot do without trip no policy; those that come again do.
TEST_F(ReplicationTest, OnlyCopiesAfterTheFirstTripThePolicy) {
  const TransferGuard guard(TransferPolicy::forbid());
  const auto first = at_toy();
  constant_.copy_(Tensor::from<float>({4, 5, 6}, {3}));
  EXPECT_THAT([&] { (void)at_toy(); },
              ThrowsMessage<Error>(HasSubstr("'rate' (12 bytes) from cpu to toy:0 for sgd_1")));
}

}  // namespace
}  // namespace loci::transfer
