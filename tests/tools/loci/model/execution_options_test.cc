#include "tools/loci/model/execution_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::HasSubstr;

ExecutionOptions read(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "model");
  return read_execution_options(parse(find_command("run"), arguments));
}

std::string refusal(const std::vector<std::string>& arguments) {
  return failure_of(ExitCode::kUsage, [&] { read(arguments); });
}

TEST(ExecutionOptionsTest, Defaults) {
  const ExecutionOptions options = read({});
  EXPECT_EQ(options.model, "model");
  EXPECT_EQ(options.device, Place());
  EXPECT_TRUE(options.compile == CompileOptions());
  EXPECT_FALSE(options.threads);
  EXPECT_EQ(options.seed, 0U);
}

TEST(ExecutionOptionsTest, ReadsCompileOptions) {
  const ExecutionOptions options = read({"--optimize", "none", "--fallback", "error"});
  EXPECT_FALSE(options.compile.reuse_memory);
  EXPECT_EQ(options.compile.fallback, FallbackPolicy::kError);
  EXPECT_EQ(read({"--fallback", "allow"}).compile.fallback, FallbackPolicy::kAllow);
  EXPECT_TRUE(read({"--optimize", "exact"}).compile == CompileOptions::exact());
}

TEST(ExecutionOptionsTest, ReadsDeviceAndNumbers) {
  const ExecutionOptions options =
      read({"--device", "sim:1", "--threads", "4", "--seed", "18446744073709551615"});
  EXPECT_EQ(options.device, Place("sim:1"));
  EXPECT_EQ(options.threads, 4);
  EXPECT_EQ(options.seed, UINT64_MAX);
}

TEST(ExecutionOptionsTest, RefusesUnknownWords) {
  EXPECT_THAT(refusal({"--optimize", "max"}), HasSubstr("none, exact, default"));
  EXPECT_THAT(refusal({"--fallback", "never"}), HasSubstr("error, warn, allow"));
  EXPECT_THAT(refusal({"--device", "GPU 1"}), HasSubstr("GPU 1"));
}

TEST(ExecutionOptionsTest, LeavesOutPassesByName) {
  EXPECT_EQ(read({"--no-pass", "constant_folding"}).compile.disabled_passes,
            std::vector<std::string>{"constant_folding"});
  EXPECT_THAT(refusal({"--no-pass", "fold"}),
              HasSubstr("[--no-pass] 'fold' is not one of constant_folding, "));
}

TEST(ExecutionOptionsTest, RefusesNumbersOutOfRange) {
  EXPECT_THAT(refusal({"--threads", "0"}), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(refusal({"--threads", "two"}), HasSubstr("'two'"));
  EXPECT_THAT(refusal({"--seed", "1.5"}), HasSubstr("'1.5'"));
}

TEST(ExecutionOptionsTest, RefusesANameTwice) {
  EXPECT_THAT(refusal({"--feed", "x=1", "--feed", "x=2"}), HasSubstr("'x' is given twice"));
  EXPECT_THAT(refusal({"--fetch", "y", "--fetch", "y=@y.npy"}), HasSubstr("'y' is given twice"));
}

}  // namespace
}  // namespace loci::runner
