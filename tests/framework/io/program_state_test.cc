#include "framework/io/program_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/ops.hpp>

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class ProgramStateTest : public ::testing::Test {
 protected:
  ProgramStateTest() : building_(main_, Program()) {
    create_parameter({2}, kFloat32, initializer::constant(0), "a");
    create_parameter({3}, kFloat32, initializer::constant(0), "b");
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const program::VarDesc* var : io::state_of(*main_.impl())) list.push_back(var->name);
    return list;
  }

  Program main_;

 private:
  ProgramGuard building_;
};

TEST_F(ProgramStateTest, IsWhatNoOperatorMakes) {
  const Variable kept = relu(main_.find("a"));
  kept.set_persistable(true);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  sgd(main_.find("a"), relu(main_.find("a")),
      data("rate", {1}, kFloat32));  // an update makes nothing anew
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

TEST_F(ProgramStateTest, ComparesNamesDTypesAndShapes) {
  const io::LoadReport report =
      io::compare_state(*main_.impl(), {{"a", kFloat32, {2}, 0, 8}, {"c", kFloat32, {2}, 8, 16}});
  EXPECT_FALSE(report.fits());
  EXPECT_THAT(report.loaded, ElementsAre("a"));
  EXPECT_THAT(report.missing, ElementsAre("b"));
  EXPECT_THAT(report.unexpected, ElementsAre("c"));
  EXPECT_TRUE(report.mismatched.empty());
}

TEST_F(ProgramStateTest, OneErrorNamesAllThatDoesNotFit) {
  const io::LoadReport report =
      io::compare_state(*main_.impl(), {{"a", kFloat64, {2}, 0, 16}, {"c", kFloat32, {2}, 16, 24}});
  EXPECT_THAT(
      [&] { io::require_fit(report, "w.safetensors", "the program"); },
      Throws<Error>(AllOf(
          Property(&Error::code, ErrorCode::kDataLoss),
          Property(&Error::what,
                   HasSubstr("[io] w.safetensors: tensors: do not fit the program: missing 'b'; "
                             "unexpected 'c'; 'a' is float64 [2], but the program declares "
                             "float32 [2]; use the weights that were saved with it")),
          Property(&Error::details,
                   "missing 'b'\nunexpected 'c'\n'a' is float64 [2], but the program declares "
                   "float32 [2]\n"))));
}

TEST_F(ProgramStateTest, WhatFitsIsNoError) {
  const io::LoadReport report =
      io::compare_state(*main_.impl(), {{"a", kFloat32, {2}, 0, 8}, {"b", kFloat32, {3}, 8, 20}});
  EXPECT_TRUE(report.fits());
  EXPECT_NO_THROW(io::require_fit(report, "w.safetensors", "the program"));
}

TEST_F(ProgramStateTest, RandomStateNeedNotBeThere) {
  (void)uniform_random({2});
  EXPECT_THAT(names(), ::testing::Contains(program::kRandomStateName));
  EXPECT_TRUE(
      io::compare_state(*main_.impl(), {{"a", kFloat32, {2}, 0, 8}, {"b", kFloat32, {3}, 8, 20}})
          .fits());
}

}  // namespace
}  // namespace loci
