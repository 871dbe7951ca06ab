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

// Each says what is wrong, and what to do.
TEST_F(CudaRunnerTest, ADriverThatCannotBeUsedSaysWhy) {
  const auto refusal = [this](const std::vector<std::string>& environment) {
    const Finished refused =
        loci_with({"run", model(), "--device", "cuda:0", "--feed", "x=1"}, environment);
    EXPECT_EQ(refused.exit_code, 4) << refused.out;
    return refused.err;
  };
  const std::string driver = "LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1");
  EXPECT_THAT(refusal({driver, "LOCI_CUDA_DOUBLE=version=12.3"}),
              HasSubstr("libcuda.so.1 is one of 12.3); update the driver of the graphics "
                        "processor, or mend LOCI_CUDA_DRIVER\n"));
  EXPECT_THAT(refusal({"LOCI_CUDA_DRIVER=libm.so.6"}),
              AllOf(HasSubstr("no CUDA driver of 12.4 or newer (libm.so.6 has no cu"),
                    HasSubstr("mend LOCI_CUDA_DRIVER")));
  EXPECT_THAT(refusal({driver, "CUDA_VISIBLE_DEVICES="}),
              HasSubstr("no CUDA device; see what nvidia-smi lists, and CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(refusal({driver, "LOCI_CUDA_DOUBLE=fail=cuInit:1:803"}),
              HasSubstr("no CUDA driver that works (cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); "
                        "see what nvidia-smi says"));
}

TEST_F(CudaRunnerTest, ADeviceThatIsTooOldIsTold) {
  const std::string driver = "LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1");
  const std::string old =
      "device 0 (Loci CUDA double 0 (emulated)) has compute capability 7.5; 8.0 is needed";
  EXPECT_THAT(loci_with({"plugins", "--probe", "--no-probe-cache"},
                        {driver, "LOCI_CUDA_DOUBLE=capability=7.5"})
                  .out,
              HasSubstr("  absent  " + old + "\n"));
  const std::vector<std::string> arguments{"run", model(), "--device", "cuda:0", "--feed", "x=1"};
  const Finished refused = loci_with(arguments, {driver, "LOCI_CUDA_DOUBLE=capability=7.5"});
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr(old));
  const Finished other =
      loci_with(arguments, {driver, "LOCI_CUDA_DOUBLE=capability=7.5+8.0,devices=2"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr(old + ". It is left out, and cuda:0 is the first of the others; "
                                         "hide it by CUDA_VISIBLE_DEVICES"));
}

TEST_F(CudaRunnerTest, AMisspeltSettingIsTold) {
  const Finished finished =
      loci_with({"run", model(), "--device", "cuda:0", "--emulated-cuda", "--feed", "x=1"},
                {"LOCI_CUDA_TUNED=1", "LOCI_CUDA_TUNE=0", "LOCI_CUDA_GRAPH_CUDADEVRT=0",
                 "LOCI_CUDA_DOUBLE=checks=all"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.err,
              HasSubstr("LOCI_CUDA_TUNED is set, and org.loci.cuda has no such setting; "
                        "did you mean 'tune'?"));
  EXPECT_THAT(finished.err, Not(HasSubstr("LOCI_CUDA_GRAPH_CUDADEVRT is set")));
  EXPECT_THAT(finished.err, Not(HasSubstr("LOCI_CUDA_DOUBLE is set")));
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

// A part of what conformance.cuda runs, as the author of a plugin runs it.
TEST_F(CudaRunnerTest, VerifiesItsKernels) {
  const Finished finished =
      loci_with({"verify", plugin_file("cuda"), "--emulated", "--level", "ops", "--filter",
                 "/(gather/gather|softmax/softmax)/bfloat16/", "--timeout", "600", "--json"},
                {kAllChecks});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const auto report = nlohmann::json::parse(finished.out);
  EXPECT_GE(report["counts"]["passed"], 29) << finished.out;
  EXPECT_GE(report["kernels"]["org.loci.cuda/cuda"], 23) << finished.out;
  EXPECT_THAT(finished.err, Not(HasSubstr("cuda double")));
}

// A model's user is told of such an id; the ids of another run would find the device lost.
TEST_F(CudaRunnerTest, APositionThatIsNotInTheTensorEndsTheRunWithAnError) {
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
              AllOf(HasSubstr("a position is not in the tensor"), HasSubstr("CUDA_ERROR_ASSERT")));
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

// It runs all the same, by the plugin's own kernels.
TEST_F(CudaRunnerTest, AMismatchedCudnnIsToldInTheLogOnce) {
  const Program main;
  const ProgramGuard building(main, Program());
  const Variable x = data("x", {1, 2, 5, 5}, kFloat32);
  const Variable filter = data("filter", {2, 2, 2, 2}, kFloat32);
  const Variable y = conv2d(conv2d(x, filter), filter);
  io::save_inference_model(model(), main, {x, filter}, {y}, Scope());
  const Finished run =
      loci_with({"run", model(), "--device", "cuda:0", "--feed", "x=1", "--feed", "filter=1"},
                {"LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1"),
                 "LOCI_CUDA_CUDNN=" + build_path("lib/loci/cuda_double/libcudnn.so.9"),
                 "LOCI_CUDNN_DOUBLE=version=8907"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string told =
      "is 8.9.7, and the plugin takes 9; install cuDNN 9; mend LOCI_CUDA_CUDNN. Until then the "
      "plugin convolves by itself";
  const std::size_t first = run.err.find(told);
  ASSERT_NE(first, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("mismatched cuDNN", first), std::string::npos) << run.err;
}

// Products are slow without it, which nobody would see otherwise.
TEST_F(CudaRunnerTest, AMissingLibraryIsToldInTheLogAndByThePlan) {
  const Program main;
  const ProgramGuard building(main, Program());
  const Variable x = data("x", {2, 3, 5, 5}, kFloat32);
  const Variable products = matmul(reshape(x, {2, 75}), fill_constant({75, 4}, 1.0F));
  const Variable windows = conv2d(x, fill_constant({2, 3, 2, 2}, 1.0F));
  io::save_inference_model(model(), main, {x}, {products, windows}, Scope());
  const std::vector<std::string> absent{
      "LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1"),
      "LOCI_CUDA_CUBLASLT=/absent/blas", "LOCI_CUDA_CUDNN=/absent/dnn"};
  const Finished run = loci_with({"run", model(), "--device", "cuda:0", "--feed", "x=1"}, absent);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(
      run.err,
      AllOf(HasSubstr("no cuBLASLt (/absent/blas: cannot open shared object file: No such "
                      "file or directory); mend LOCI_CUDA_CUBLASLT. Until then the plugin "
                      "multiplies by itself\n"),
            HasSubstr("no cuDNN (/absent/dnn: cannot open"),
            HasSubstr("install the package libcudnn9-cuda-13 ("),
            HasSubstr("mend LOCI_CUDA_CUDNN. Until then the plugin convolves by itself\n")));
  const std::size_t first = run.err.find("no cuBLASLt");
  EXPECT_EQ(run.err.find("no cuBLASLt", first + 1), std::string::npos) << "once: " << run.err;
  const Finished plan = loci_with({"plan", model(), "--device", "cuda:0"}, absent);
  EXPECT_THAT(plan.out, AllOf(HasSubstr("org.loci.cuda/cublaslt: no cuBLASLt (/absent/blas: "),
                              HasSubstr("org.loci.cuda/cudnn: no cuDNN (/absent/dnn: ")));
}

TEST_F(CudaRunnerTest, ALibraryThatIsTurnedOffIsNotMissed) {
  const Program main;
  const ProgramGuard building(main, Program());
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable y = matmul(x, fill_constant({3, 2}, 1.0F));
  io::save_inference_model(model(), main, {x}, {y}, Scope());
  const Finished run =
      loci_with({"run", model(), "--device", "cuda:0", "--feed", "x=1"},
                {"LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1"),
                 "LOCI_CUDA_CUBLASLT=0"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

}  // namespace
}  // namespace loci::test
