#include "tools/loci/completion/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/settings.hpp>

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Completion::Kind;

const CompletedOption& option(const std::vector<CompletedCommand>& commands,
                              const std::string& command, const std::string& name) {
  for (const CompletedCommand& each : commands) {
    if (each.name != command) continue;
    for (const CompletedOption& candidate : each.options) {
      if (candidate.name == name) return candidate;
    }
  }
  throw std::runtime_error("no " + name + " of " + command);
}

TEST(CompletionTest, HasEveryOptionThatParses) {
  const std::vector<CompletedCommand> all = completed_commands(commands());
  ASSERT_EQ(all.size(), commands().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, commands()[i].name);
    EXPECT_EQ(all[i].options.size(), visible_options(commands()[i]).options().size());
    EXPECT_EQ(all[i].words.size(), commands()[i].positionals.size());
  }
}

TEST(CompletionTest, ReadsWhatAValueMayBeFromItsName) {
  const auto all = completed_commands(commands());
  EXPECT_THAT(option(all, "run", "--fallback").value.choices,
              ElementsAre("error", "warn", "allow"));
  EXPECT_THAT(option(all, "run", "--transfers").value.choices,
              ElementsAre("allow", "log", "forbid", "sync="));
  EXPECT_EQ(option(all, "run", "--plugin").value.kind, Kind::kFiles);
  EXPECT_EQ(option(all, "run", "--plugin-path").value.kind, Kind::kDirectories);
  EXPECT_EQ(option(all, "run", "--threads").value.kind, Kind::kNothing);
  EXPECT_EQ(option(all, "run", "--json").value_name, "");
}

TEST(CompletionTest, OffersTheLevelsAndModulesOfTheLog) {
  const Completion log = option(completed_commands(commands()), "run", "--log").value;
  std::vector<std::string> expected = config::log_levels();
  for (const std::string& module : config::log_modules()) expected.push_back(module + "=");
  EXPECT_THAT(log.choices, ::testing::ElementsAreArray(expected));
}

TEST(CompletionTest, KnowsWhatMayBeRepeated) {
  const auto all = completed_commands(commands());
  EXPECT_TRUE(option(all, "run", "--feed").repeatable);
  EXPECT_FALSE(option(all, "run", "--device").repeatable);
}

TEST(CompletionTest, ScriptsQuoteWhatTheShellWouldRead) {
  CompletedCommand command;
  command.name = "try";
  command.summary = "Says 'a: b'.";
  command.options.push_back({"--x", "one [of] two: 'c'", "N", true, {}});
  EXPECT_THAT(zsh_completion({command}),
              AllOf(HasSubstr(R"('try:Says '\''a\: b'\''.')"),
                    HasSubstr(R"('*--x=[one \[of\] two\: '\''c'\'']:N: ')")));
}

}  // namespace
}  // namespace loci::runner
