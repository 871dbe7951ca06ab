#include "framework/execution/persistables.h"

#include <loci/transfer_policy.hpp>

#include "framework/transfer/transfer.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class PersistablesTest : public executor::ProgramsTest {
 protected:
  // Resolves as a plan with that one variable would.
  Tensor resolve(PlanPersistable persistable, const Shape& shape) {
    Plan plan;
    plan.values.emplace_back().type = {kFloat32, shape};
    persistable.value = 0;
    return resolve_persistable(plan, persistable, *scope_.impl(), &pulled_);
  }
  static PlanPersistable at(const char* place) { return {"w", 0, Place(place)}; }
  static std::vector<std::string_view> reasons() {
    std::vector<std::string_view> list;
    for (const transfer::Row& row : transfer::rows()) {
      list.push_back(transfer::reason_name(row.labels.reason));
    }
    return list;
  }

  std::vector<Pulled> pulled_;
};

TEST_F(PersistablesTest, MakesWhatThePlanWritesFirst) {
  const Tensor made = resolve({"w", 0, Place("toy:0"), /*written_first=*/true}, {3});
  EXPECT_EQ(made.place(), Place("toy:0"));
  EXPECT_TRUE(scope_.has("w"));
}

TEST_F(PersistablesTest, MovesAVariableHomeOnce) {
  scope_.set("w", vector({1, 2}));
  transfer::clear_rows();
  const Tensor moved = resolve(at("toy:0"), {2});
  resolve(at("toy:0"), {2});
  EXPECT_EQ(moved.place(), Place("toy:0"));
  EXPECT_THAT(reasons(), ElementsAre("load"));
  EXPECT_EQ(transfer::rows()[0].bytes, 8U);
  EXPECT_THAT(pulled_, IsEmpty());
}

// Only the first is what a run cannot do without.
TEST_F(PersistablesTest, WhatWandersIsTold) {
  scope_.set("w", vector({1, 2}));
  transfer::clear_rows();
  resolve(at("toy:0"), {2});
  resolve(at("cpu"), {2});
  resolve(at("toy:0"), {2});
  EXPECT_THAT(reasons(), ElementsAre("load", "prepare_data", "prepare_data"));
  ASSERT_THAT(pulled_, SizeIs(1));
  EXPECT_EQ(pulled_[0].variable, "w");
  EXPECT_EQ(pulled_[0].from, Place("toy:0"));
  EXPECT_EQ(pulled_[0].to, Place("cpu"));
  const TransferGuard guard(TransferPolicy::forbid());
  EXPECT_THAT([&] { resolve(at("cpu"), {2}); },
              ThrowsMessage<Error>(HasSubstr("the policy forbids to copy 'w'")));
}

TEST_F(PersistablesTest, WhatTheUserSetsAnewHasAFirstMoveAgain) {
  scope_.set("w", vector({1, 2}));
  resolve(at("toy:0"), {2});
  scope_.erase("w");
  scope_.set("w", vector({3, 4}));
  transfer::clear_rows();
  resolve(at("toy:0"), {2});
  EXPECT_THAT(reasons(), ElementsAre("load"));
  EXPECT_THAT(pulled_, IsEmpty());
}

TEST_F(PersistablesTest, AConstantStaysWhereItWasBrought) {
  scope_.set("w", vector({1, 2}));
  resolve(at("toy:0"), {2});
  PlanPersistable constant = at("cpu");
  constant.is_constant = true;
  EXPECT_EQ(resolve(constant, {2}).place(), Place("toy:0"));
  EXPECT_THAT(pulled_, IsEmpty());
}

TEST_F(PersistablesTest, AnotherTypeMeansThatThePlanIsStale) {
  scope_.set("w", vector({1, 2}));
  EXPECT_FALSE(resolve(at("cpu"), {3}).defined());
}

TEST_F(PersistablesTest, NamesWhatIsMissing) {
  EXPECT_THAT([&] { resolve(at("cpu"), {3}); },
              ThrowsMessage<Error>(HasSubstr("'w' is not in the scope")));
}

TEST_F(PersistablesTest, AVariableOfANewShapeIsCompiledFor) {
  create_parameter({2}, kFloat32, initializer::constant(1.0), "w");
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  Program other;
  Program other_startup;
  {
    const ProgramGuard building(other, other_startup);
    create_parameter({3}, kFloat32, initializer::constant(2.0), "w");
  }
  executor.run(other_startup);
  EXPECT_EQ(scope_.find("w").numel(), 3);
}

}  // namespace
}  // namespace loci::execution
