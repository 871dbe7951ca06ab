#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/inspect.hpp>
#include <loci/ops.hpp>

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<Variable>& variables) {
  std::vector<std::string> result;
  for (const Variable& variable : variables) result.push_back(variable.name());
  return result;
}

TEST(InspectTest, ListsWhatIsFedAndReturned) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable b = data("b", {2}, kFloat32);
  const Variable a = data("a", {2}, kFloat32);
  const Variable sum = elementwise_add(a, b);
  EXPECT_THAT(names(inspect::data_variables(main)), ElementsAre("b", "a"));
  EXPECT_TRUE(inspect::results(main).empty());
  const Program pruned = main.prune({a, b}, {sum, a});
  EXPECT_THAT(names(inspect::data_variables(pruned)), ElementsAre("a", "b"));
  EXPECT_THAT(names(inspect::results(pruned)), ElementsAre("elementwise_add_0.out", "a"));
}

TEST(InspectTest, GivesTextForms) {
  const Program main;
  const ProgramGuard guard(main);
  relu(data("x", {2}, kFloat32));
  EXPECT_THAT(inspect::to_dot(main), HasSubstr("relu_0"));
  EXPECT_THAT(inspect::to_json(main), HasSubstr("\"loci.program\""));
}

}  // namespace
}  // namespace loci
