// The plugin as users meet it: listed, verified and run on emulated devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kAllChecks = "LOCI_CUDA_DOUBLE=checks=all,devices=2";

Finished loci_with(std::vector<std::string> arguments,
                   const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), build_path("bin/loci"));
  return run_process(arguments, environment);
}

// A model of one op, of which the plugin has a kernel.
class CudaRunnerTest : public ::testing::Test {
 protected:
  CudaRunnerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "loci-cuda-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    const Program main;
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2, 3}, kFloat32);
    const Variable y = reshape(x, {3, 2});
    io::save_inference_model(model(), main, {x}, {y}, Scope());
  }
  ~CudaRunnerTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  [[nodiscard]] std::string model() const { return directory_ + "/model"; }

 private:
  std::string directory_;
};

TEST_F(CudaRunnerTest, WithoutADriverItIsUnavailableAndNobodyElseMinds) {
  const std::vector<std::string> none{"LOCI_CUDA_DRIVER=/absent/libcuda.so.1"};
  const Finished listed = loci_with({"devices"}, none);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("cpu: "),
                                HasSubstr("absent: cuda of org.loci.cuda (no CUDA driver (")));
  const Finished refused = loci_with({"run", model(), "--device", "cuda:0", "--feed", "x=1"}, none);
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("no CUDA driver"));
}

TEST_F(CudaRunnerTest, IsEmulatedOnDemandAlone) {
  const Finished listed = loci_with({"devices", "--emulated-cuda"});
  EXPECT_THAT(listed.out, HasSubstr("cuda:0: Loci CUDA double 0 (emulated)")) << listed.err;
  EXPECT_THAT(loci_with({"devices"}).out, Not(HasSubstr("emulated")));
}

TEST_F(CudaRunnerTest, KeepsTheRulesWithAllChecks) {
  const Finished finished = loci_with({"verify", plugin_file("cuda"), "--emulated", "--level",
                                       "abi,life,mem,order,fault", "--timeout", "600", "--json"},
                                      {kAllChecks});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const auto report = nlohmann::json::parse(finished.out);
  EXPECT_EQ(report["emulated"], true);
  EXPECT_EQ(report["place"], "cuda:0");
  EXPECT_GE(report["counts"]["passed"], 60) << finished.out;
  EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
}

// Of kernels with all checks; a case whose gradient takes ops without a kernel is absent.
void expect_conformance(const char* cases, int passed, int launched) {
  const Finished finished = loci_with({"verify", plugin_file("cuda"), "--emulated", "--level",
                                       "ops", "--filter", cases, "--timeout", "600", "--json"},
                                      {kAllChecks});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const auto report = nlohmann::json::parse(finished.out);
  EXPECT_GE(report["counts"]["passed"], passed) << finished.out;
  EXPECT_GE(report["kernels"]["org.loci.cuda/cuda"], launched) << finished.out;
  EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
}

TEST_F(CudaRunnerTest, ComputesElementsAsTheReferenceDoes) {
  expect_conformance(
      "/(activation|cast|compare|elementwise_unary|elementwise_binary|unary_math)/[a-z_]+/"
      "(bfloat16|float64|int32|uint8)/",
      1300, 1400);
}

TEST_F(CudaRunnerTest, MovesElementsAsTheReferenceDoes) {
  expect_conformance("/(concat|creation|expand|reshape|slice|transpose)/", 1500, 1400);
}

TEST_F(CudaRunnerTest, LooksUpAndDrawsAsTheReferenceDoes) {
  expect_conformance("/(dropout|embedding|gather|random)/", 1000, 1000);
}

TEST_F(CudaRunnerTest, ComputesFusedElementsAsTheReferenceDoes) {
  expect_conformance("/fused_elementwise/", 100, 90);
}

// As it is told by a model's user; the ids of another run would find the device lost.
TEST_F(CudaRunnerTest, AnIdThatIsNotInTheTableEndsTheRunWithAnError) {
  const Program main;
  const ProgramGuard building(main, Program());
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable index = data("index", {2}, kInt64);
  const Variable y = gather(x, index);
  io::save_inference_model(model(), main, {x, index}, {y}, Scope());
  const Finished finished = loci_with({"run", model(), "--device", "cuda:0", "--emulated-cuda",
                                       "--feed", "x=1", "--feed", "index=2"},
                                      {kAllChecks});
  EXPECT_EQ(finished.exit_code, 5) << finished.out << finished.err;
  EXPECT_THAT(finished.err,
              AllOf(HasSubstr("an id is not in the table"), HasSubstr("CUDA_ERROR_ASSERT")));
}

// The same products by cuBLASLt's double and without it.
TEST_F(CudaRunnerTest, MultipliesAsTheReferenceDoesWithALibraryAndWithout) {
  const auto verify = [](const std::string& filter, std::vector<std::string> environment) {
    environment.push_back(kAllChecks);
    const Finished finished = loci_with({"verify", plugin_file("cuda"), "--emulated", "--level",
                                         "ops", "--filter", filter, "--timeout", "600", "--json"},
                                        environment);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
    return nlohmann::json::parse(finished.out);
  };
  // Small ones of one dtype, for time: a library without endings for it, and kernels behind it.
  const std::string products = "/fused_matmul/[a-z_]+/float64/.[0-9](, [0-9])*.,";
  const auto by_library = verify(products, {});
  EXPECT_GE(by_library["counts"]["passed"], 15) << by_library;
  EXPECT_GE(by_library["kernels"]["org.loci.cuda/cublaslt"], 12) << by_library;
  const auto own =
      verify(products + "|/matmul/matmul/int32/.64, 64.*wraps", {"LOCI_CUDA_CUBLASLT=0"});
  EXPECT_GE(own["counts"]["passed"], 16) << own;
  EXPECT_FALSE(own["kernels"].contains("org.loci.cuda/cublaslt")) << own;
}

// 1 + 2^-12 has more digits than TF32 keeps.
TEST_F(CudaRunnerTest, UsesTf32OnlyWhereASettingAllowsIt) {
  const Program main;
  {
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {1, 3}, kFloat32);
    io::save_inference_model(model(), main, {x}, {matmul(x, x, false, true)}, Scope());
  }
  const std::vector<std::string> arguments{
      "run", model(), "--device", "cuda:0", "--emulated-cuda", "--feed", "x=1.000244140625"};
  const Finished exact = loci_with(arguments);
  EXPECT_THAT(exact.out, HasSubstr("3.00146")) << exact.err;
  const Finished allowed = loci_with(arguments, {"LOCI_CUDA_TF32=1"});
  EXPECT_THAT(allowed.out, HasSubstr("[[3]]")) << allowed.err;
}

TEST_F(CudaRunnerTest, RunsAModelAndSaysThatItsTimesAreNoDevices) {
  const std::vector<std::string> arguments{
      "run", model(), "--device", "cuda:0", "--emulated-cuda", "--feed", "x=1", "--repeat", "3"};
  const Finished finished = loci_with(arguments, {kAllChecks});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("[[1, 1],\n [1, 1],\n [1, 1]]"),
                    HasSubstr("cuda:0 is emulated on the processor: these times say nothing")));
  const Finished timed = loci_with({"bench", model(), "--device", "cuda:0", "--emulated-cuda",
                                    "--feed", "x=1", "--repeat", "3", "--json"});
  EXPECT_EQ(nlohmann::json::parse(timed.out)["emulated"], true) << timed.err;
  const Finished plain = loci_with({"bench", model(), "--feed", "x=1", "--repeat", "3", "--json"});
  EXPECT_EQ(nlohmann::json::parse(plain.out)["emulated"], false) << plain.err;
}

TEST_F(CudaRunnerTest, EachReportSaysThatTheDeviceIsEmulated) {
  const Finished finished =
      loci_with({"run", model(), "--device", "cuda:0", "--emulated-cuda", "--feed", "x=1",
                 "--profile", "all", "--reporter", "summary"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("cuda:0 is emulated: its times are of no device"));
}

}  // namespace
}  // namespace loci::test
