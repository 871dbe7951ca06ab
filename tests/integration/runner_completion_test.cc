// loci completion, in the shells that it is for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class CompletionTest : public RunnerTest {
 protected:
  // Returns what bash offers for the last of the words, as it takes them apart.
  [[nodiscard]] std::vector<std::string> offered(const std::string& words) const {
    if (!std::filesystem::exists("/bin/bash")) throw std::runtime_error("there is no bash");
    const std::string script = write("loci.bash", loci({"completion", "bash"}).out);
    const Finished finished =
        run_process({"/bin/bash", "--norc", "-c",
                     "cd \"$2\" && source \"$1\" && eval \"COMP_WORDS=($3)\" && "
                     "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _loci && "
                     "printf '%s\\n' \"${COMPREPLY[@]}\"",
                     "bash", script, path(""), words});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
    std::vector<std::string> lines;
    std::istringstream stream(finished.out);
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(CompletionTest, BashOffersSubcommands) {
  EXPECT_THAT(offered("loci p"), UnorderedElementsAre("plan", "profile", "plugins"));
  EXPECT_THAT(offered("loci help b"), ElementsAre("bench"));
}

TEST_F(CompletionTest, BashOffersTheOptionsOfTheSubcommand) {
  EXPECT_THAT(offered("loci run --f"), UnorderedElementsAre("--feed", "--fetch", "--fallback"));
  EXPECT_THAT(offered("loci show --"), AllOf(Contains("--format"), Not(Contains("--feed"))));
  EXPECT_THAT(offered("loci nothing --"), IsEmpty());
}

TEST_F(CompletionTest, BashOffersValues) {
  EXPECT_THAT(offered("loci run --fallback ''"), UnorderedElementsAre("error", "warn", "allow"));
  EXPECT_THAT(offered("loci run --fallback = w"), ElementsAre("warn"));
  EXPECT_THAT(offered("loci show --format d"), ElementsAre("dot"));
  EXPECT_THAT(offered("loci run --log e"), UnorderedElementsAre("error", "executor=", "eager="));
  EXPECT_THAT(offered("loci run --threads ''"), IsEmpty());
}

TEST_F(CompletionTest, BashOffersPathsWhereThereIsOne) {
  std::filesystem::create_directory(path("a model"));
  write("a.npy", "");
  EXPECT_THAT(offered("loci run a"), UnorderedElementsAre("a model", "a.npy"));
  EXPECT_THAT(offered("loci run --plugin-path a"), ElementsAre("a model"));
  EXPECT_THAT(offered("loci run m --feed x = @ a."), ElementsAre("a.npy"));
  EXPECT_THAT(offered("loci run m a"), IsEmpty());
}

TEST_F(CompletionTest, BashCountsWordsBehindOptions) {
  EXPECT_THAT(offered("loci plugins ''"), UnorderedElementsAre("list", "inspect", "doctor", "new"));
  write("p.so", "");
  EXPECT_THAT(offered("loci plugins --no-plugin x --json inspect p"), ElementsAre("p.so"));
  EXPECT_THAT(offered("loci plugins --no-plugin = x d"), ElementsAre("doctor"));
  EXPECT_THAT(offered("loci completion z"), ElementsAre("zsh"));
}

TEST_F(CompletionTest, ZshReadsItsScript) {
  const Finished script = loci({"completion", "zsh"});
  EXPECT_EQ(script.exit_code, 0);
  EXPECT_THAT(script.out, AllOf(HasSubstr("#compdef loci"), HasSubstr("--fallback="),
                                HasSubstr("(error warn allow)")));
  if (!std::filesystem::exists("/bin/zsh")) GTEST_SKIP() << "there is no /bin/zsh";
  write("_loci", script.out);
  const Finished finished =
      run_process({"/bin/zsh", "-fc",
                   "fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; autoload +X -Uz "
                   "_loci && print $_comps[loci]",
                   "zsh", path("")});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out, "_loci\n");
}

}  // namespace
}  // namespace loci::test
