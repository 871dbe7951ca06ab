#include "framework/program/program_impl.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::program {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

VarDesc named(const std::string& name) {
  VarDesc desc;
  desc.name = name;
  desc.type = {kFloat32, Shape{2}};
  return desc;
}

TEST(BlockTest, FindsVariablesByName) {
  Block block;
  const VarId a = block.add_var(named("a"));
  const VarId b = block.add_var(named("b"));
  EXPECT_EQ(block.find("a"), a);
  EXPECT_EQ(block.find("b"), b);
  EXPECT_EQ(block.find("c"), kNoVar);
}

TEST(BlockTest, RefusesTakenEmptyAndControlNames) {
  Block block;
  block.add_var(named("a"));
  EXPECT_THAT([&] { block.add_var(named("a")); }, ThrowsMessage<Error>(HasSubstr("'a' already")));
  EXPECT_THAT([&] { block.add_var(named("")); }, ThrowsMessage<Error>(HasSubstr("not empty")));
  EXPECT_THAT([&] { block.add_var(named("a\nb")); },
              ThrowsMessage<Error>(HasSubstr("control character")));
  EXPECT_EQ(block.vars.size(), 1U);
}

TEST(BlockTest, ReferencesToVariablesOutliveGrowth) {
  Block block;
  const VarDesc& first = block.var(block.add_var(named("first")));
  for (int i = 0; i < 1000; ++i) block.add_var(named(fmt::format("v{}", i)));
  EXPECT_EQ(&first, &block.var(0));
  EXPECT_EQ(first.name, "first");
}

TEST(BlockTest, RenamesVariables) {
  Block block;
  const VarId a = block.add_var(named("a"));
  block.add_var(named("b"));
  block.rename_var(a, "c");
  EXPECT_EQ(block.find("c"), a);
  EXPECT_EQ(block.find("a"), kNoVar);
  EXPECT_THAT([&] { block.rename_var(a, "b"); }, ThrowsMessage<Error>(HasSubstr("'b' already")));
  EXPECT_EQ(block.find("c"), a);
}

TEST(ProgramImplTest, UniqueNamesAvoidTakenOnes) {
  ProgramImpl program;
  program.main().add_var(named("fc_1"));
  EXPECT_EQ(program.unique_name("fc"), "fc_0");
  EXPECT_EQ(program.unique_name("fc"), "fc_2");
}

TEST(ProgramImplTest, ReservedNamesMoveTheCounter) {
  ProgramImpl program;
  program.reserve_name("conv2d_3.weight");
  program.reserve_name("conv2d_1");
  EXPECT_EQ(program.unique_name("conv2d"), "conv2d_4");
  for (const char* other : {"relu", "relu_", "relu_x", "relu_-1", "relu_99999999999999999999"}) {
    program.reserve_name(other);
  }
  EXPECT_EQ(program.unique_name("relu"), "relu_0");
}

TEST(ProgramImplTest, CopiesAreProgramsOfTheirOwn) {
  ProgramImpl program;
  program.main().add_var(named("a"));
  program.set_random_offset(7);
  (void)program.unique_name("relu");
  ProgramImpl copy(program);
  EXPECT_NE(copy.uid(), program.uid());
  EXPECT_EQ(copy.random_offset(), 7);
  EXPECT_EQ(copy.unique_name("relu"), "relu_1");
  copy.main().add_var(named("b"));
  EXPECT_EQ(program.main().find("b"), kNoVar);
}

TEST(ProgramImplTest, TouchChangesTheVersion) {
  ProgramImpl program;
  const std::uint64_t before = program.version();
  program.touch();
  EXPECT_GT(program.version(), before);
}

TEST(RoleTest, NamesRoundTrip) {
  for (const Role role : {Role::kForward, Role::kBackward, Role::kUpdate, Role::kInitialize}) {
    EXPECT_EQ(parse_role(role_name(role)), role);
  }
  EXPECT_THAT([] { (void)parse_role("forwards"); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'forward'")));
}

}  // namespace
}  // namespace loci::program
