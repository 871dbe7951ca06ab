#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>
#include <loci/optimizer.hpp>
#include <loci/program.hpp>
#include <map>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using program::Operator;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;
using Guards = std::map<std::string, std::string>;

// Two tables that are trained, one behind the other.
class GuardOperatorsTest : public ::testing::Test {
 protected:
  GuardOperatorsTest() {
    const ProgramGuard building(main_, startup_);
    const Variable ids = data("ids", {4}, kInt64);
    const Variable rows = layers::embedding(ids, {8, 3});
    const Variable hidden = relu(layers::fc(rows, 2));
    hidden.rename("hidden");
    optimizer::SGD(0.1).minimize(mean(hidden));
  }

  std::size_t guard(const std::string& pattern, const char* place) {
    return guard_operators(main_, startup_, pattern, Place(place));
  }

  // Operators with a guard, by name.
  static Guards operators(const Program& program) {
    Guards guards;
    for (const Operator& op : program.impl()->main().ops) {
      if (!op.guard.empty()) guards[op.name] = op.guard;
    }
    return guards;
  }
  static Guards variables(const Program& program) {
    Guards guards;
    for (const program::VarDesc& var : program.impl()->main().vars) {
      if (!var.guard.empty()) guards[var.name] = var.guard;
    }
    return guards;
  }
  static std::string type_of(const Program& program, const std::string& name) {
    for (const Operator& op : program.impl()->main().ops) {
      if (op.name == name) return op.type();
    }
    return {};
  }

  Program main_;
  Program startup_;
};

TEST_F(GuardOperatorsTest, MatchesWholeNamesTypesAndOutputs) {
  EXPECT_EQ(guard("relu", "sim:1"), 1U);
  EXPECT_THAT(operators(main_), ElementsAre(Pair("relu_0", "sim:1")));
  EXPECT_EQ(guard("relu_0", "sim:2"), 1U);
  EXPECT_THAT(operators(main_), ElementsAre(Pair("relu_0", "sim:2")));
  EXPECT_EQ(guard("hid+en", "cpu"), 1U);
  EXPECT_THAT(operators(main_), ElementsAre(Pair("relu_0", "cpu")));
  EXPECT_EQ(guard("rel", "cpu"), 0U);
}

TEST_F(GuardOperatorsTest, TheLastOneWinsOverEarlierOnes) {
  EXPECT_GT(guard(".*", "sim"), 10U);
  EXPECT_EQ(operators(main_).size(), main_.impl()->main().ops.size());
  guard("relu", "cpu");
  for (const auto& [name, place] : operators(main_)) {
    EXPECT_EQ(place, type_of(main_, name) == "relu" ? "cpu" : "sim") << name;
  }
}

TEST_F(GuardOperatorsTest, ParametersGoWithTheirOperators) {
  guard("embedding", "cpu");
  EXPECT_THAT(variables(main_), ElementsAre(Pair("embedding_0.weight", "cpu")));
  EXPECT_THAT(variables(startup_), ElementsAre(Pair("embedding_0.weight", "cpu")));
  std::size_t updates = 0;
  for (const auto& [name, place] : operators(main_)) {
    updates += type_of(main_, name) == "sgd" || type_of(main_, name) == "sgd_rows" ? 1 : 0;
  }
  EXPECT_EQ(updates, 1U);
  EXPECT_EQ(operators(startup_).size(), 1U);
}

TEST_F(GuardOperatorsTest, WhatUpdatesOnlyReadStays) {
  EXPECT_GT(guard("sgd.*", "cpu"), 0U);
  for (const auto& [name, place] : variables(main_)) EXPECT_THAT(name, Not(HasSubstr("rate")));
  EXPECT_THAT(variables(main_), Contains(Pair("embedding_0.weight", "cpu")));
}

TEST_F(GuardOperatorsTest, CompiledPlansAreOutOfDate) {
  const std::uint64_t before = main_.impl()->version();
  guard("relu", "cpu");
  EXPECT_NE(main_.impl()->version(), before);
}

TEST_F(GuardOperatorsTest, RefusesWhatIsNoRegularExpression) {
  EXPECT_THAT([this] { guard("relu(", "cpu"); },
              ThrowsMessage<Error>(HasSubstr("[guard] 'relu(' is no regular expression")));
  EXPECT_THAT(operators(main_), IsEmpty());
}

TEST_F(GuardOperatorsTest, SaysWhyAPatternIsRefusedAndWhatToWrite) {
  EXPECT_THAT([this] { guard("(?=relu).*", "cpu"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("invalid perl operator: '(?='"),
                                         HasSubstr("RE2's syntax, which has no look-around"))));
  EXPECT_THAT([this] { guard(R"((.)\1)", "cpu"); },
              ThrowsMessage<Error>(HasSubstr(R"(invalid escape sequence: '\\1')")));
  EXPECT_THAT(
      [this] { guard("((a{100}){100}){1000}", "cpu"); },
      ThrowsMessage<Error>(HasSubstr("'((a{100}){100}){1000}' is no regular expression: ")));
  EXPECT_THAT([this] { guard("\xff", "cpu"); }, ThrowsMessage<Error>(HasSubstr("UTF-8")));
}

TEST_F(GuardOperatorsTest, AnErrorShowsTheFirstPartOfALongPattern) {
  for (const std::string& pattern : {std::string(30000, '('), std::string(30000, 'a') + "("}) {
    EXPECT_THAT([&] { guard(pattern, "cpu"); },
                ThrowsMessage<Error>(AllOf(HasSubstr("is no regular expression"),
                                           ::testing::SizeIs(::testing::Lt(500U)))));
  }
}

// Recursive matchers overflow the stack on these.
TEST_F(GuardOperatorsTest, NamesMayBeLong) {
  const ProgramGuard building(main_, startup_);
  relu(data("y", {2}, kFloat32)).rename(std::string(100000, 'a'));
  EXPECT_EQ(guard("a+", "sim:1"), 1U);
  EXPECT_EQ(guard("(a|b)*", "sim:1"), 1U);
  EXPECT_EQ(guard("(a|aa)+", "sim:1"), 1U);
  EXPECT_EQ(guard("(.*)(.*)(.*)a", "sim:1"), 1U);
  EXPECT_EQ(guard("a+b", "sim:1"), 0U);
}

// Exponential with backtracking.
TEST_F(GuardOperatorsTest, NoPatternIsCatastrophic) {
  const ProgramGuard building(main_, startup_);
  relu(data("y", {2}, kFloat32)).rename(std::string(100000, 'a') + "!");
  for (const char* pattern : {"(a+)+$", "(a+)+b", "(a|a)*b", "(a|aa)+$", "(.*a){20}b"}) {
    EXPECT_EQ(guard(pattern, "cpu"), 0U) << pattern;
  }
}

TEST_F(GuardOperatorsTest, PatternsMayNestDeeply) {
  for (const std::size_t depth : {100U, 30000U}) {
    const std::string nested = std::string(depth, '(') + "relu" + std::string(depth, ')');
    EXPECT_EQ(guard(nested, "sim:1"), 1U) << depth;
  }
}

TEST_F(GuardOperatorsTest, ACharacterIsOneOfUtf8) {
  const ProgramGuard building(main_, startup_);
  relu(data("y", {2}, kFloat32)).rename("gr\u00f6\u00dfe");
  EXPECT_EQ(guard("gr..e", "cpu"), 1U);
  EXPECT_EQ(guard("gr[\u00e4\u00f6]\u00dfe", "cpu"), 1U);
}

TEST_F(GuardOperatorsTest, ABranchOfAMatchIsGuardedWhole) {
  const Program main;
  const ProgramGuard building(main);
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  cond(
      on, [&] { return relu(x); }, [&] { return tanh(x); });
  const auto guard_of = [&](std::size_t block) {
    return main.impl()->main().ops[0].blocks[block]->ops[0].guard;
  };
  EXPECT_EQ(guard_operators(main, Program(), "tanh", Place("sim:1")), 1U);
  EXPECT_EQ(guard_of(0), "");
  EXPECT_EQ(guard_of(1), "sim:1");
  EXPECT_EQ(guard_operators(main, Program(), "case_0", Place("cpu")), 3U);
  EXPECT_EQ(guard_of(0), "cpu");
  EXPECT_EQ(guard_of(1), "cpu");
}

}  // namespace
}  // namespace loci
