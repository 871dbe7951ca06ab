#include "framework/planning/variable_values.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Plan;
using execution::Space;
using execution::space_of;
using execution::StorageKind;
using execution::ValueId;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Values of `x`, which is fed, and of `w`, which is state.
class VariableValuesTest : public executor::ProgramsTest {
 protected:
  VariableValuesTest()
      : x_(data("x", {2}, kFloat32)),
        w_(create_parameter({2}, kFloat32, initializer::constant(1.0), "w")),
        request_(request()),
        plan_(std::make_unique<Plan>()),
        binder_(main_.impl()->main(), *request_.scope) {
    plan_->program = main_.impl();
    values_.emplace(request_, &binder_, plan_.get());
    binder_.set_type(x_.id(), {kFloat32, Shape{2}});
    binder_.set_type(w_.id(), {kFloat32, Shape{2}});
  }

  PlanRequest request() {
    PlanRequest made;
    made.changed = std::make_shared<const std::set<std::string>>();
    made.program = main_.impl();
    made.device = &device_at("cpu");
    made.scope = scope_.impl().get();
    return made;
  }
  static Space toy() { return space_of(&device_at("toy:0")); }
  ValueId copy_of_x() {
    return values_->in_space(x_.id(), toy(), "relu_0", transfer::Reason::kFeed);
  }

  Variable x_;
  Variable w_;
  PlanRequest request_;
  std::unique_ptr<Plan> plan_;
  TypeBinder binder_;
  std::optional<VariableValues> values_;
};

TEST_F(VariableValuesTest, AValueIsCopiedOnceToWhereItIsRead) {
  const ValueId home = values_->add(x_.id(), nullptr, StorageKind::kFeed);
  values_->state_of(x_.id()).home = home;
  EXPECT_EQ(values_->in_space(x_.id(), nullptr, "relu_0", transfer::Reason::kFeed), home);
  EXPECT_TRUE(plan_->instructions.empty());
  const ValueId copy = copy_of_x();
  EXPECT_EQ(values_->at(copy).space, toy());
  EXPECT_EQ(copy_of_x(), copy);
  ASSERT_EQ(plan_->instructions.size(), 1U);
  EXPECT_EQ(plan_->instructions[0].transfer()->from, home);
  EXPECT_EQ(plan_->instructions[0].transfer()->to, copy);
}

TEST_F(VariableValuesTest, StateLivesWhereItIsUsedFirst) {
  const ValueId home = values_->home_of(w_.id(), device_at("toy:0"));
  EXPECT_EQ(values_->home_of(w_.id(), device_at("cpu")), home);
  EXPECT_EQ(values_->at(home).space, toy());
  ASSERT_EQ(plan_->persistables.size(), 1U);
  EXPECT_EQ(plan_->persistables[0].name, "w");
  EXPECT_EQ(plan_->persistables[0].home, Place("toy:0"));
  EXPECT_FALSE(plan_->persistables[0].written_first);
}

TEST_F(VariableValuesTest, StateThatIsWrittenFirstNeedsNoValueBefore) {
  (void)values_->initialised_home(w_.id(), device_at("cpu"));
  ASSERT_EQ(plan_->persistables.size(), 1U);
  EXPECT_TRUE(plan_->persistables[0].written_first);
}

TEST_F(VariableValuesTest, StateThatIsNowhereIsNamed) {
  binder_.set_type(w_.id(), {});
  EXPECT_THAT(
      [&] { (void)values_->home_of(w_.id(), device_at("cpu")); },
      ThrowsMessage<Error>(HasSubstr("[executor] persistable variable 'w' is not in the scope")));
}

TEST_F(VariableValuesTest, ALaterStageGetsEveryCopy) {
  values_->state_of(x_.id()).home = values_->add(x_.id(), nullptr, StorageKind::kFeed);
  (void)copy_of_x();
  values_->keep(x_.id());
  EXPECT_EQ(plan_->live_outs.size(), 2U);
}

}  // namespace
}  // namespace loci::planning
