// Counts what branches and loops copy, at a device with memory of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<Variable>;

Variable operator+(const Variable& x, const Variable& y) { return elementwise_add(x, y); }
Variable operator+(const Variable& x, double y) { return x + full_like(x, y); }

template <class Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class ControlFlowCopiesTest : public ::testing::Test {
 protected:
  // Those of one run, after another one.
  std::vector<inspect::Transfer> copies(const Feed& feed, const std::vector<Fetch>& fetch,
                                        const CompileOptions& options = CompileOptions::none()) {
    Executor executor("sim:0", options, Scope());
    executor.run(main_, feed, fetch);
    const std::size_t before = inspect::transfers().size();
    executor.run(main_, feed, fetch);
    std::vector<inspect::Transfer> rows = inspect::transfers();
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before));
    return rows;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(ControlFlowCopiesTest, APredicateOnTheHostIsNotCopied) {
  const Variable on = data("on", {1}, kBool);
  const Variable y = cond(
      on, [] { return fill_constant({2}, 1); }, [] { return fill_constant({3}, 1); });
  const auto rows = copies({{"on", Tensor::from<bool>({true}, {1})}}, {y});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].reason, "fetch");
}

TEST_F(ControlFlowCopiesTest, APredicateOnADeviceIsReadOnce) {
  const Variable x = fill_constant({1}, 1);
  const Variable on = less_than(x, fill_constant({1}, 2));
  const auto one = [] { return fill_constant({2}, 1); };
  const auto two = [] { return fill_constant({3}, 1); };
  const Variable y = cond(on, one, two);
  const Variable z = cond(on, two, one);
  const auto rows = copies({}, {y, z});
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].reason, "host_read");
  EXPECT_EQ(rows[0].variable, "less_than_0.out");
  EXPECT_EQ(rows[0].producer, "less_than_0");
  EXPECT_EQ(rows[0].consumer, "case_0");
  EXPECT_TRUE(rows[0].host_waited);
  EXPECT_EQ(rows[1].reason, "fetch");
}

TEST_F(ControlFlowCopiesTest, ALoopReadsItsConditionAndNothingElse) {
  const Variable n = fill_constant({1}, 5);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{v[0] + 1.0, v[1] + v[0]};
                                 },
                                 {fill_constant({1}, 0), fill_constant({4}, 0)});
  const auto rows = copies({}, {last[1]});
  ASSERT_EQ(rows.size(), 7);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(rows[i].reason, "host_read");
    EXPECT_EQ(rows[i].consumer, "while_0");
    EXPECT_EQ(rows[i].bytes, 1);
  }
}

TEST_F(ControlFlowCopiesTest, ALoopThatCountsOnTheHostCopiesNothing) {
  std::vector<Variable> last;
  const Variable x = fill_constant({4}, 1);
  Variable zero;
  Variable n;
  {
    const DeviceGuard on_cpu("cpu");
    zero = fill_constant({1}, 0);
    n = fill_constant({1}, 5);
  }
  last = while_loop(
      [&](const Values& v) {
        const DeviceGuard on_cpu("cpu");
        return less_than(v[0], n);
      },
      [&](const Values& v) {
        const Variable sum = v[1] + x;
        const DeviceGuard on_cpu("cpu");
        return Values{v[0] + 1.0, sum};
      },
      {zero, x});
  const auto rows = copies({}, {last[1]});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].reason, "fetch");
}

TEST_F(ControlFlowCopiesTest, WhatALoopUsesIsBroughtOnce) {
  const Variable x = data("x", {4}, kFloat32);
  const Variable n = fill_constant({1}, 3);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{v[0] + 1.0, v[1] + x};
                                 },
                                 {fill_constant({1}, 0), x});
  std::size_t feeds = 0;
  for (const auto& row : copies({{"x", Tensor::from<float>({1, 2, 3, 4}, {4})}}, {last[1]})) {
    feeds += row.reason == "feed" ? 1 : 0;
  }
  EXPECT_EQ(feeds, 1);
}

TEST_F(ControlFlowCopiesTest, APolicyForbidsToReadAPredicate) {
  const Variable on = less_than(fill_constant({1}, 1), fill_constant({1}, 2));
  const Variable y = cond(
      on, [] { return fill_constant({2}, 1); }, [] { return fill_constant({3}, 1); });
  const TransferGuard forbid(TransferPolicy::forbid());
  EXPECT_THAT(error_of([&] { copies({}, {y}); }), HasSubstr("less_than_0.out"));
}

}  // namespace
}  // namespace loci
