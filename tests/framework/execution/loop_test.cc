#include "framework/execution/loop.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<Variable>;

class LoopTest : public executor::ProgramsTest {
 protected:
  static Tensor number(std::int64_t value) { return Tensor::from<std::int64_t>({value}, {1}); }
  static Variable next_of(const Variable& x) { return elementwise_add(x, full_like(x, 1)); }
  Variable n_ = data("n", {1}, kInt64);
  Variable zero_ = fill_constant({1}, 0, kInt64);
};

TEST_F(LoopTest, EvenAndOddCountsEndInTheSamePlace) {
  const Variable x = data("x", {2}, kFloat32);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n_); },
                                 [&](const Values& v) {
                                   return Values{next_of(v[0]), scale(v[1], 2)};
                                 },
                                 {zero_, x});
  Executor executor("cpu", {}, scope_);
  for (const int count : {0, 1, 2, 3, 10}) {
    const auto factor = static_cast<float>(1 << count);
    EXPECT_THAT(executor.run(main_, {{"n", number(count)}, {"x", vector({1, 3})}}, {last[1]})
                    .front()
                    .to_vector<float>(),
                ElementsAre(factor, 3 * factor));
  }
}

TEST_F(LoopTest, ALimitEndsALoopThatDoesNot) {
  const Values last = while_loop([&](const Values& v) { return less_equal(zero_, v[0]); },
                                 [&](const Values& v) { return Values{next_of(v[0])}; }, {n_}, {5});
  Executor executor("cpu", {}, scope_);
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"n", number(0)}}, {last[0]});
      },
      ThrowsMessage<Error>(HasSubstr("[while] while_0 has made 5 iterations, as many as "
                                     "max_iterations allows, and its condition is still")));
  EXPECT_EQ(executor.run(main_, {{"n", number(-3)}}, {last[0]}).front().item<std::int64_t>(), -3)
      << "the executor goes on";
}

TEST_F(LoopTest, ShapesMayChangeInTheRun) {
  const Variable x = data("x", {-1}, kFloat32);
  const Values last =
      while_loop([&](const Values& v) { return less_than(v[0], n_); },
                 [&](const Values& v) {
                   return Values{next_of(v[0]), concat(std::vector<Variable>{v[1], v[1]}, 0)};
                 },
                 {zero_, x});
  Executor executor("cpu", CompileOptions::none(), scope_);
  const Feed feed{{"n", number(2)}, {"x", vector({1, 2})}};
  EXPECT_EQ(executor.run(main_, feed, {last[1]}).front().to_vector<float>(),
            (std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2}));
}

TEST_F(LoopTest, ErrorsInsideNameTheLoop) {
  const Variable table = data("table", {2, 1}, kFloat32);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n_); },
                                 [&](const Values& v) {
                                   const Variable row = gather(table, v[0]);
                                   return Values{next_of(v[0]), elementwise_add(v[1], row)};
                                 },
                                 {zero_, fill_constant({1, 1}, 0)});
  Executor executor("cpu", {}, scope_);
  const Feed good{{"n", number(2)}, {"table", Tensor::from<float>({1, 2}, {2, 1})}};
  EXPECT_EQ(executor.run(main_, good, {last[1]}).front().item<float>(), 3);
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"n", number(3)}, good[1]}, {last[1]});
      },
      ThrowsMessage<Error>(HasSubstr("[while] while_0 at cpu")));
}

}  // namespace
}  // namespace loci::execution
