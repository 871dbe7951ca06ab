#include "framework/optimizer/saved_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::optimizer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class SavedStateTest : public ::testing::Test {
 protected:
  SavedState saved() const { return {rule_, parameters_, state_}; }
  static Tensor floats(const Shape& shape) {
    return Tensor::from(std::vector<float>(static_cast<std::size_t>(shape.numel())), shape);
  }

  UpdateRule rule_{"adam", {"moment1", "moment2"}, /*counts_steps=*/true};
  StateDict parameters_{{"w", floats({2, 3})}, {"b", floats({3})}};
  StateDict state_{{"learning_rate", Tensor::scalar(0.25)},
                   {"w.moment1", floats({2, 3})},
                   {"w.moment2", floats({2, 3})},
                   {"w.step", Tensor::scalar<std::int64_t>(7)}};
};

TEST_F(SavedStateTest, GivesWhatEachParameterHas) {
  EXPECT_THAT(saved().of(0), SizeIs(2));
  EXPECT_THAT(saved().of(1), IsEmpty());
  EXPECT_EQ(saved().rate(), 0.25);
  EXPECT_EQ(saved().steps(0).item<std::int64_t>(), 7);
  EXPECT_FALSE(saved().steps(1).defined());
}

// States had one count for all before each parameter was counted.
TEST_F(SavedStateTest, OneCountMayStandForAll) {
  state_[3].first = "step";
  for (const char* moment : {"b.moment1", "b.moment2"}) state_.emplace_back(moment, floats({3}));
  EXPECT_EQ(saved().steps(0).item<std::int64_t>(), 7);
  EXPECT_EQ(saved().steps(1).item<std::int64_t>(), 7);
  state_.emplace_back("b.step", Tensor::scalar<std::int64_t>(3));
  EXPECT_EQ(saved().steps(1).item<std::int64_t>(), 3);
  state_.erase(state_.begin() + 1, state_.begin() + 3);
  EXPECT_FALSE(saved().steps(0).defined()) << "without moments it has not been updated";
}

TEST_F(SavedStateTest, NamesAllThatDoesNotFit) {
  state_[1].second = floats({3, 2});
  state_[2].first = "v.moment2";
  state_.pop_back();
  EXPECT_THAT([&] { saved(); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("[adam] the state does not fit: "),
                        HasSubstr("'w.moment1' is float32 [3, 2], but has to be float32 [2, 3]"),
                        HasSubstr("'w.moment2' is missing"), HasSubstr("'w.step' is missing"),
                        HasSubstr("'v.moment2' is no parameter's"))));
}

TEST_F(SavedStateTest, RefusesNamesThatOccurAgainAndUndefinedTensors) {
  state_.push_back(state_[1]);
  state_[3].second = {};
  EXPECT_THAT([&] { saved(); }, ThrowsMessage<Error>(AllOf(HasSubstr("'w.moment1' is there twice"),
                                                           HasSubstr("'w.step' is undefined"))));
}

TEST_F(SavedStateTest, AMessageStaysShort) {
  for (int i = 0; i < 100; ++i) state_.emplace_back("x" + std::to_string(i), floats({1}));
  EXPECT_THAT([&] { saved(); }, ThrowsMessage<Error>(HasSubstr(" and 80 more; give one")));
}

}  // namespace
}  // namespace loci::optimizer
