#include "framework/planning/dependencies.h"

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Plan;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class DependenciesTest : public executor::SimProgramsTest {
 protected:
  static std::vector<std::string> needed_by(const Plan& plan, const Dependencies& found,
                                            const std::string& name) {
    std::vector<std::string> names;
    for (const Dependency& dependency : found[index_of(plan, name)]) {
      names.push_back(name_of(plan, dependency.on));
    }
    return names;
  }
};

TEST_F(DependenciesTest, AnOperatorNeedsThoseThatMakeItsInputs) {
  const Variable a = relu(data("x", {2}, kFloat32));
  const Variable b = relu(a);
  const Variable c = elementwise_add(a, b);
  const auto plan = compile({feed_of("x", {2})}, {c.name()}, "cpu", CompileOptions::none());
  const Dependencies found = find_dependencies(*plan);
  EXPECT_THAT(needed_by(*plan, found, "relu_0"), IsEmpty());
  EXPECT_THAT(needed_by(*plan, found, "relu_1"), ElementsAre("relu_0"));
  EXPECT_THAT(needed_by(*plan, found, "elementwise_add_0"), ElementsAre("relu_0", "relu_1"));
  EXPECT_TRUE(found[2][0].host_value);
}

TEST_F(DependenciesTest, StateChangesAfterItWasRead) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Variable loss = mean(square(w));
  const Variable unrelated = relu(w);
  optimizer::SGD(0.1).minimize(loss);
  Executor("cpu", CompileOptions::none(), scope_).run(startup_);
  const auto plan = compile({}, {loss.name(), unrelated.name()}, "cpu", CompileOptions::none());
  const Dependencies found = find_dependencies(*plan);
  EXPECT_THAT(needed_by(*plan, found, "sgd_0"), Contains("relu_0"));
}

TEST_F(DependenciesTest, CopiesOfStateComeAtMostSoFarAhead) {
  Variable y = data("x", {2}, kFloat32);
  for (const char* name : {"a", "b", "c", "d"}) {
    const DeviceGuard on_host("cpu");
    const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), name);
    y = add_at("sim:0", y, w);
    scope_.set(name, vector({1, 2}));
  }
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "sim:0", CompileOptions::none());
  const Dependencies found = find_dependencies(*plan, /*ahead_bytes=*/0);
  // x is a copy as well.
  EXPECT_THAT(needed_by(*plan, found, "copy a"), IsEmpty());
  EXPECT_THAT(needed_by(*plan, found, "copy c"), ElementsAre("elementwise_add_0"));
  EXPECT_THAT(needed_by(*plan, found, "copy d"), ElementsAre("elementwise_add_1"));
  EXPECT_THAT(needed_by(*plan, find_dependencies(*plan), "copy d"), IsEmpty());
}

}  // namespace
}  // namespace loci::planning
