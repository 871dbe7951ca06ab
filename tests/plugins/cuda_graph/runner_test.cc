// The plugin as users meet it: verified, listed, and at work in a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/subprocess.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kAllChecks = "LOCI_CUDA_DOUBLE=checks=all,devices=2";

Finished loci_with(std::vector<std::string> arguments,
                   std::vector<std::string> environment = {kAllChecks}) {
  arguments.insert(arguments.begin(), build_path("bin/loci"));
  return run_process(arguments, environment);
}

TEST(CudaGraphRunnerTest, KeepsTheRulesOfCapturesWithAllChecks) {
  for (const char* plugin : {"cuda_graph", "cuda"}) {
    const Finished finished = loci_with({"verify", plugin_file(plugin), "--emulated", "--level",
                                         "abi,life,capture", "--timeout", "600", "--json"});
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const auto report = nlohmann::json::parse(finished.out);
    EXPECT_EQ(report["emulated"], true);
    EXPECT_GE(report["levels"]["capture"]["passed"], 37) << finished.out;
    EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
  }
}

TEST(CudaGraphRunnerTest, DevicesNamesIt) {
  EXPECT_THAT(loci_with({"devices", "--emulated-cuda"}).out,
              AllOf(HasSubstr("cuda:1: "), HasSubstr("  graphs        by org.loci.cuda_graph\n")));
}

TEST(CudaGraphRunnerTest, ARunWithCaptureHasItsGraphsDrawn) {
  const ScratchDirectory scratch;
  const Program main;
  {
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {4}, kFloat32);
    const Variable y = softmax(relu(x + x)) * x;
    io::save_inference_model(scratch.path("model"), main, {x}, {y}, Scope());
  }
  const Finished finished =
      loci_with({"run", scratch.path("model"), "--device", "cuda:0", "--emulated-cuda", "--capture",
                 "on", "--feed", "x=3", "--repeat", "4", "--fallback", "error"},
                {kAllChecks, "LOCI_CUDA_GRAPH_DOT=" + scratch.path("")});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("[0.75, 0.75, 0.75, 0.75]"));
  EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
  EXPECT_THAT(scratch.read("cuda-graph-1.dot"),
              AllOf(HasSubstr("digraph"), HasSubstr("softmax"), HasSubstr(" -> ")));
}

// CUPTI's records do not tell it.
TEST(CudaGraphRunnerTest, AProfileSaysThatItLacksWhatLoopsDo) {
  const std::string cupti = build_path("lib/loci/cuda_double/libcupti.so.13");
  if (!std::filesystem::exists(cupti)) GTEST_SKIP() << "no double of CUPTI was built";
  const ScratchDirectory scratch;
  const Program main;
  {
    using Values = std::vector<Variable>;
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2}, kFloat32);
    const Variable limit = fill_constant({1}, 100.0F);
    const Values last =
        while_loop([&](const Values& v) { return less_than(reduce_sum(v[0]), limit); },
                   [](const Values& v) { return Values{v[0] + v[0]}; }, {relu(x)});
    io::save_inference_model(scratch.path("model"), main, {x}, {last[0]}, Scope());
  }
  const auto notes_of = [&](const char* capture) {
    const Finished finished =
        loci_with({"run", scratch.path("model"), "--device", "cuda:0", "--emulated-cuda",
                   "--capture", capture, "--feed", "x=3", "--repeat", "4", "--warmup", "4",
                   "--profile", "all", "--reporter", "json=" + scratch.path("profile")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return nlohmann::json::parse(scratch.read("profile")).at("quality").at("notes").dump();
  };
  const char* const lack = "device work is missing of replays of graphs with loops or branches";
  EXPECT_THAT(notes_of("auto"), HasSubstr(lack));
  EXPECT_THAT(notes_of("off"), Not(HasSubstr("device work is missing")));
}

}  // namespace
}  // namespace loci::test
