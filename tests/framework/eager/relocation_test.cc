#include "framework/eager/relocation.h"

#include "framework/eager/call.h"
#include "framework/eager/placing.h"
#include "framework/transfer/transfer.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class RelocationTest : public EagerTest {};

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
