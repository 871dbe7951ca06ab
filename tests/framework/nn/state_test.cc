#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

class StateTest : public NnTest {};

TEST_F(StateTest, HasParametersAndBuffersOfEachModule) {
  Sequential model;
  model.add<Linear>(2, 3).add<BatchNorm>(3);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : model.state_dict()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias", "1.mean",
                                             "1.variance"}));
  EXPECT_EQ(model.named_parameters().size(), 4U);
  EXPECT_EQ(model.named_buffers().size(), 2U);
}

TEST_F(StateTest, ChangesWithTheModule) {
  Linear module(2, 1, doubles());
  const StateDict state = module.state_dict();
  EXPECT_FALSE(state[0].second.requires_grad());
  EXPECT_EQ(state[0].second.name(), "weight");
  const NoGrad scope;
  module.weight().fill_(4);
  EXPECT_EQ(elements(state[0].second), (std::vector<double>{4, 4}));
}

}  // namespace
}  // namespace loci::nn
