#include <loci/control_flow.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class ControlApiTest : public EagerTest {
 protected:
  static Tensor flag(bool value) { return Tensor::from<bool>({value}, {1}); }
  static Tensor index(std::int64_t value) { return Tensor::from<std::int64_t>({value}, {1}); }
  static Tensor number(float value) { return vector({value}); }
};

TEST_F(ControlApiTest, OneBranchRuns) {
  int runs = 0;
  const auto branch = [&](float value) {
    return [&runs, value] {
      ++runs;
      return number(value);
    };
  };
  EXPECT_EQ(cond(flag(true).to("sim:0"), branch(1), branch(2)).item<float>(), 1);
  EXPECT_EQ(case_of({{flag(false), branch(1)}, {flag(true), branch(2)}}, branch(3)).item<float>(),
            2);
  // Without a default the last one is it.
  EXPECT_EQ(case_of({{flag(false), branch(1)}, {flag(false), branch(2)}}).item<float>(), 2);
  EXPECT_EQ(switch_case(index(7), {{1, branch(1)}, {7, branch(2)}}, branch(3)).item<float>(), 2);
  EXPECT_EQ(switch_case(index(8), {{1, branch(1)}, {7, branch(2)}}, branch(3)).item<float>(), 3);
  EXPECT_EQ(runs, 5);
}

TEST_F(ControlApiTest, GradientsGoThroughTheBranchThatRan) {
  const Tensor x = variable({3});
  const Tensor y = cond(
      flag(true), [&] { return x * x; }, [&] { return x; });
  y.backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(6));
}

TEST_F(ControlApiTest, LoopsUntilTheConditionIsFalse) {
  const Tensors last = while_loop([](const Tensors& v) { return v[0] < number(5); },
                                  [](const Tensors& v) -> Tensors {
                                    return {v[0] + 1.0, v[1] * 2.0};
                                  },
                                  {number(0), number(1)});
  EXPECT_EQ(last[1].item<float>(), 32);
}

TEST_F(ControlApiTest, SelectsAnInput) {
  EXPECT_EQ(select_input(index(1), {number(1), number(2)}).item<float>(), 2);
  EXPECT_EQ(select_input(flag(false), {number(1), number(2)}).item<float>(), 1);
  EXPECT_THAT([] { select_input(index(2), {number(1)}); },
              ThrowsMessage<Error>(HasSubstr("there are 1 inputs")));
}

TEST_F(ControlApiTest, BadDecisionsAreNamed) {
  const auto branch = [] { return number(1); };
  EXPECT_THAT([&] { cond(number(1), branch, branch); },
              ThrowsMessage<Error>(HasSubstr("give one element of bool")));
  EXPECT_THAT(
      [&] {
        switch_case(number(1), {{1, branch}});
      },
      ThrowsMessage<Error>(HasSubstr("[switch_case]")));
  EXPECT_THAT(
      [&] {
        switch_case(index(1), {{1, branch}, {1, branch}});
      },
      ThrowsMessage<Error>(HasSubstr("the key 1 occurs twice")));
  EXPECT_THAT([] { case_of(std::vector<std::pair<Tensor, Branch<Tensor>>>{}); },
              ThrowsMessage<Error>(HasSubstr("no branches")));
}

TEST_F(ControlApiTest, BadLoopsAreNamed) {
  const auto forever = [](const Tensors&) { return flag(true); };
  WhileOptions options;
  options.max_iterations = 10;
  EXPECT_THAT(
      [&] {
        while_loop(
            forever, [](const Tensors& v) { return v; }, {number(1)}, options);
      },
      ThrowsMessage<Error>(HasSubstr("10 iterations")));
  options.max_iterations = -1;
  EXPECT_THAT(
      [&] {
        while_loop(
            forever, [](const Tensors& v) { return v; }, {number(1)}, options);
      },
      ThrowsMessage<Error>(HasSubstr("max_iterations is -1; give a positive number")));
  EXPECT_THAT(
      [&] {
        while_loop(forever, [](const Tensors&) -> Tensors { return {zeros({2, 1})}; }, {number(1)});
      },
      ThrowsMessage<Error>(HasSubstr("keeps dtypes and ranks")));
}

}  // namespace
}  // namespace loci::eager
