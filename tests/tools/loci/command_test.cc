#include "tools/loci/command.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/settings.hpp>

#include "tests/tools/loci/failing.h"
#include "tools/conformance/verify/verify.h"
#include "tools/loci/plugins/plugin_template.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const char* command, const std::vector<std::string>& arguments) {
  return failure_of(ExitCode::kUsage, [&] { parse(find_command(command), arguments); });
}

std::string option_text(const char* command, const char* option) {
  return visible_options(find_command(command)).find(option, /*approx=*/false).description();
}

TEST(CommandTest, EverySubcommandHasHelpWithItsUsage) {
  for (const Command& command : commands()) {
    EXPECT_THAT(help_text(command),
                AllOf(HasSubstr("usage: loci " + command.name), HasSubstr(command.summary),
                      HasSubstr("--help"), HasSubstr("Exit codes:")));
    EXPECT_THAT(overview(), HasSubstr(command.name));
  }
}

TEST(CommandTest, HelpNamesEveryLevelOfVerify) {
  const std::string help = help_text(find_command("verify"));
  std::string list;
  for (const std::string& level : verify::level_names()) {
    list += (list.empty() ? "" : ",") + level;
    EXPECT_THAT(help, HasSubstr("\n  " + level + " ")) << "the notes do not tell of it";
  }
  EXPECT_THAT(help, HasSubstr("only these: of " + list + "\n"));
}

TEST(CommandTest, HelpNamesEveryKindOfNewPlugins) {
  const std::string help = help_text(find_command("plugins"));
  std::string list;
  for (const std::string& kind : template_kinds()) {
    list += (list.empty() ? "" : ", ") + kind;
    EXPECT_THAT(help, HasSubstr("(" + kind + ")")) << "the notes do not tell of it";
  }
  EXPECT_THAT(help, HasSubstr("what it is to be: " + list + "\n"));
}

TEST(CommandTest, HelpNamesEveryLevelAndModuleOfTheLog) {
  // On one line, whatever the width of the help.
  const std::string text = option_text("run", "log");
  EXPECT_THAT(text, HasSubstr(fmt::format("levels: {};", fmt::join(config::log_levels(), ", "))));
  EXPECT_THAT(text, HasSubstr(fmt::format("modules: {}", fmt::join(config::log_modules(), ", "))));
  EXPECT_THAT(help_text(find_command("run")), HasSubstr("--log LEVEL|MODULE=LEVEL,... "));
}

TEST(CommandTest, UsageLines) {
  EXPECT_EQ(usage_line(find_command("run")), "loci run MODEL [options]");
  EXPECT_EQ(usage_line(find_command("plugins")),
            "loci plugins [list | inspect FILE | doctor | new NAME] [options]");
}

TEST(CommandTest, ReadsWordsAndRepeatedOptionsInAnyOrder) {
  const po::variables_map values =
      parse(find_command("run"), {"--feed", "a=1", "model", "--feed=b=-2", "--json"});
  EXPECT_EQ(values["model"].as<std::string>(), "model");
  EXPECT_THAT(values["feed"].as<std::vector<std::string>>(), ::testing::ElementsAre("a=1", "b=-2"));
  EXPECT_EQ(values.count("json"), 1U);
}

TEST(CommandTest, RefusesUnknownOptionsAndNamesThem) {
  EXPECT_THAT(refusal("run", {"m", "--fetsh", "y"}),
              AllOf(HasSubstr("--fetsh"), HasSubstr("loci run --help")));
}

TEST(CommandTest, RefusesAbbreviations) {
  EXPECT_THAT(refusal("run", {"m", "--rep", "3"}), HasSubstr("--rep"));
}

TEST(CommandTest, RefusesMissingAndSurplusWords) {
  EXPECT_THAT(refusal("show", {}), HasSubstr("MODEL is missing"));
  EXPECT_THAT(refusal("show", {"a", "b"}), HasSubstr("too many"));
  EXPECT_THAT(refusal("run", {"m", "--device"}), HasSubstr("--device"));
  EXPECT_THAT(refusal("run", {"m", "--seed", "1", "--seed", "2"}), HasSubstr("--seed"));
}

TEST(CommandTest, RefusesAWordThatIsNoneOfTheChoices) {
  EXPECT_THAT(refusal("completion", {"fish"}), AllOf(HasSubstr("'fish' is not one of bash, zsh"),
                                                     HasSubstr("loci completion --help")));
  EXPECT_THAT(refusal("completion", {}), HasSubstr("bash | zsh is missing"));
  EXPECT_THAT(refusal("plugins", {"prune"}), HasSubstr("list, inspect, doctor, new"));
}

TEST(CommandTest, HelpNeedsNoWords) {
  EXPECT_EQ(parse(find_command("run"), {"--help"}).count("help"), 1U);
}

TEST(CommandTest, UnknownSubcommandListsThem) {
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [] { find_command("rum"); }),
      AllOf(
          HasSubstr("'rum'"),
          HasSubstr("run, bench, plan, show, profile, plugins, devices, ops, verify, completion")));
}

TEST(CommandTest, WithoutASubcommandIsUsage) {
  EXPECT_THAT(failure_of(ExitCode::kUsage, [] { dispatch({"loci"}); }), HasSubstr("loci --help"));
}

}  // namespace
}  // namespace loci::runner
