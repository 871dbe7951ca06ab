#include "framework/program/compact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::program {
namespace {

TEST(CompactTest, DropsWhatNoOperatorUses) {
  Program main;
  {
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2}, kFloat32);
    (void)relu(x);
    relu(x).rename("y");
    (void)create_parameter({2}, kFloat32, initializer::constant(1), "w");
  }
  ProgramImpl& program = *main.impl();
  program.main().ops.erase(program.main().ops.begin());
  EXPECT_ANY_THROW(main.verify());
  drop_unused_variables(&program);
  EXPECT_NO_THROW(main.verify());
  EXPECT_EQ(program.main().vars.size(), 3U);
  EXPECT_EQ(program.main().ops[0].outputs[0][0], program.main().find("y"));
  EXPECT_EQ(program.main().find("relu_0.out"), kNoVar);
}

}  // namespace
}  // namespace loci::program
