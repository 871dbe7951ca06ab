#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/layers.hpp>
#include <loci/optimizer.hpp>
#include <map>
#include <set>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using optimizer::Adam;
using program::Operator;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class AdamTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(AdamTest, SharesOneStepCount) {
  Adam(0.1, {.beta1 = 0.8, .weight_decay = 0.01})
      .minimize(mean(layers::fc(data("x", {-1, 3}, kFloat32), 2, "fc")));
  const std::deque<program::VarDesc>& vars = main_.impl()->main().vars;
  const auto& ops = main_.impl()->main().ops;
  EXPECT_EQ(ops.back().type(), "increment");
  std::vector<program::VarId> steps;
  for (const Operator& op : ops) {
    if (op.type() != "adam") continue;
    EXPECT_EQ(std::get<double>(op.attributes.at("beta1")), 0.8);
    EXPECT_EQ(std::get<double>(op.attributes.at("weight_decay")), 0.01);
    steps.push_back(op.inputs[4].front());
  }
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_EQ(steps[0], ops.back().inputs[0].front());
  EXPECT_EQ(vars[static_cast<std::size_t>(steps[0])].type, (ops::TensorType{kInt64, Shape{}}));
  EXPECT_EQ(main_.find("fc.weight.moment2").shape(), (Shape{3, 2}));
  EXPECT_NO_THROW(main_.verify());
}

// Each place counts for itself, so that no step copies the count.
TEST_F(AdamTest, HasAStepCountForEachGuard) {
  Variable hidden;
  {
    const DeviceGuard device("sim:1");
    hidden = layers::fc(data("x", {-1, 3}, kFloat32), 2, "first");
  }
  Adam(0.1).minimize(mean(layers::fc(hidden, 2, "second")));
  std::map<std::string, std::set<program::VarId>> steps;
  for (const Operator& op : main_.impl()->main().ops) {
    if (op.type() == "adam") steps[op.guard].insert(op.inputs[4].front());
    if (op.type() == "increment") steps[op.guard].insert(op.inputs[0].front());
  }
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[""].size(), 1U);
  EXPECT_EQ(steps["sim:1"].size(), 1U);
  EXPECT_NE(steps[""], steps["sim:1"]);
}

TEST_F(AdamTest, RefusesOptionsThatDoNotDecay) {
  EXPECT_THAT([] { Adam(0.1, {.beta2 = 1.5}); },
              ThrowsMessage<Error>(HasSubstr("[adam] beta2 is 1.5; give one in [0, 1)")));
  EXPECT_THAT([] { Adam(0.1, {.epsilon = 0}); },
              ThrowsMessage<Error>(HasSubstr("[adam] epsilon is 0; give a positive one")));
  EXPECT_THAT([] { Adam(0.1, {.weight_decay = -1}); },
              ThrowsMessage<Error>(HasSubstr("[adam] weight_decay is -1; give 0 or more")));
  EXPECT_THAT([] { Adam(std::nan("")); },
              ThrowsMessage<Error>(HasSubstr("[adam] the learning rate is nan")));
}

}  // namespace
}  // namespace loci
