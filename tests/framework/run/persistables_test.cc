#include "framework/run/persistables.h"

#include "framework/transfer/transfer.h"
#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PersistablesTest : public RuntimeTest {
 protected:
  static PlanValue value_of(DType dtype, const Shape& shape) {
    PlanValue value;
    value.type = {dtype, shape};
    return value;
  }
};

TEST_F(PersistablesTest, MakesWhatThePlanWritesFirst) {
  const Tensor made = resolve_persistable({"w", 0, Place("toy:0"), /*written_first=*/true},
                                          value_of(kFloat32, {3}), *scope_.impl());
  EXPECT_EQ(made.place(), Place("toy:0"));
  EXPECT_TRUE(scope_.has("w"));
}

TEST_F(PersistablesTest, MovesAVariableHomeOnce) {
  scope_.set("w", vector({1, 2}));
  transfer::clear_rows();
  const PlanPersistable persistable{"w", 0, Place("toy:0"), false};
  const Tensor moved = resolve_persistable(persistable, value_of(kFloat32, {2}), *scope_.impl());
  resolve_persistable(persistable, value_of(kFloat32, {2}), *scope_.impl());
  EXPECT_EQ(moved.place(), Place("toy:0"));
  ASSERT_EQ(transfer::rows().size(), 1U);
  EXPECT_EQ(transfer::rows()[0].labels.reason, transfer::Reason::kLoad);
  EXPECT_EQ(transfer::rows()[0].bytes, 8U);
}

TEST_F(PersistablesTest, AnotherTypeMeansThatThePlanIsStale) {
  scope_.set("w", vector({1, 2}));
  EXPECT_FALSE(
      resolve_persistable({"w", 0, Place(), false}, value_of(kFloat32, {3}), *scope_.impl())
          .defined());
}

TEST_F(PersistablesTest, NamesWhatIsMissing) {
  const auto settling = [&] {
    resolve_persistable({"w", 0, Place(), false}, value_of(kFloat32, {3}), *scope_.impl());
  };
  EXPECT_THAT(settling, ThrowsMessage<Error>(HasSubstr("'w' is not in the scope")));
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
}  // namespace loci::runtime
