#include <loci/inspect.hpp>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using PassesApiTest = executor::ProgramsTest;

std::vector<std::string> operator_types(const program::ProgramImpl& program) {
  std::vector<std::string> types;
  for (const program::Operator& op : program.main().ops) types.push_back(op.type());
  return types;
}

TEST_F(PassesApiTest, AfterPassesShowsThemOneByOne) {
  (void)relu(scale(fill_constant({1}, 1.0), 2.0));
  EXPECT_THAT(operator_types(*inspect::after_passes(main_, {}, "constant_folding").impl()),
              ElementsAre("fill_constant", "assign_value", "assign_value"));
  EXPECT_THAT(operator_types(*inspect::after_passes(main_).impl()), ElementsAre("assign_value"));
  EXPECT_THAT([&] { (void)inspect::after_passes(main_, {"nothing"}); },
              ThrowsMessage<Error>(HasSubstr("no variable 'nothing' to fetch")));
  EXPECT_EQ(inspect::passes().size(), 8U);
}

TEST_F(PassesApiTest, WhatIsLeftIsAWholeProgram) {
  const Variable x = data("x", {2}, kFloat32);
  (void)elementwise_add(relu(x), relu(x));
  const Program rewritten = inspect::after_passes(main_);
  EXPECT_THAT(operator_types(*rewritten.impl()), ElementsAre("fused_elementwise"));
  EXPECT_NO_THROW(rewritten.verify());
}

}  // namespace
}  // namespace loci::planning
