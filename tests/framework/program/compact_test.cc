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

TEST(CompactTest, KeepsWhatItIsTold) {
  Program main;
  VarId kept = kNoVar;
  VarId dropped = kNoVar;
  {
    const ProgramGuard building(main, Program());
    dropped = data("dropped", {2}, kFloat32).id();
    kept = data("kept", {2}, kFloat32).id();
    (void)relu(data("x", {2}, kFloat32));
  }
  Block& block = main.impl()->main();
  block.index["another name"] = kept;
  block.index["gone"] = dropped;
  std::vector<bool> wanted(block.vars.size());
  wanted[static_cast<std::size_t>(kept)] = true;
  const std::vector<VarId> moved = keep_variables(block, wanted);
  EXPECT_EQ(moved[static_cast<std::size_t>(dropped)], kNoVar);
  EXPECT_EQ(moved[static_cast<std::size_t>(kept)], block.find("kept"));
  EXPECT_EQ(block.find("another name"), block.find("kept"));
  EXPECT_EQ(block.find("gone"), kNoVar);
  EXPECT_EQ(block.vars.size(), 3U) << "with what the operator uses";
  EXPECT_EQ(block.ops[0].inputs[0][0], block.find("x"));
}

}  // namespace
}  // namespace loci::program
