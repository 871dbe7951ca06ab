// Reports of `loci run` on an emulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <sstream>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/subprocess.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CudaReportTest : public ::testing::Test {
 protected:
  CudaReportTest() {
    const Program main;
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2, 3}, kFloat32);
    io::save_inference_model(scratch_.path("model"), main, {x}, {exp(relu(x))}, Scope());
  }

  // What a reporter prints, or writes into the file that it needs.
  std::string report(const std::string& reporter,
                     const std::vector<std::string>& environment = {}) {
    const std::string file = scratch_.path("report");
    const Finished finished =
        run_process({build_path("bin/loci"), "run", scratch_.path("model"), "--device", "cuda:0",
                     "--emulated-cuda", "--optimize", "none", "--feed", "x=1", "--repeat", "20",
                     "--profile", "all", "--reporter", reporter + "=" + file},
                    environment);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return content.str();
  }

  ScratchDirectory scratch_;
};

TEST_F(CudaReportTest, NvprofHasKernelsCopiesAndCalls) {
  const std::string shown = report("nvprof");
  EXPECT_THAT(shown,
              AllOf(ContainsRegex(" 20 .* exp_f32\n"), ContainsRegex(" 20 .* relu_f32\n"),
                    HasSubstr("[CUDA memcpy HtoD]\n"), HasSubstr("[CUDA memcpy DtoH]\n"),
                    ContainsRegex(" 40 .* cuLaunchKernel\n"), HasSubstr(" cuStreamSynchronize\n")));
  EXPECT_THAT(
      shown, AllOf(ContainsRegex("Records dropped +none"), ContainsRegex("Unattributed work +none"),
                   HasSubstr("cuda:0 is emulated: its times are of no device")));
}

// What follows "thread0::NAME" in its line.
std::string row_of(const std::string& shown, const std::string& op) {
  const std::string label = "thread0::" + op + " ";
  const std::size_t begin = shown.find(label);
  if (begin == std::string::npos) return {};
  return shown.substr(begin + label.size(), shown.find('\n', begin) - begin - label.size());
}

// Calls, total, CPU time with its share in brackets, and then that of the device.
double device_time_in(const std::string& row) {
  std::istringstream words(row);
  int calls = 0;
  std::string total;
  std::string cpu;
  std::string share;
  double device = 0;
  words >> calls >> total >> cpu >> share >> device;
  return calls == 20 && share.rfind('(', 0) == 0 ? device : 0;
}

TEST_F(CudaReportTest, ClassicHasTheTimeOfEachOperatorOnTheDevice) {
  const std::string shown = report("classic");
  for (const char* op : {"relu", "exp"}) {
    EXPECT_GT(device_time_in(row_of(shown, op)), 0) << shown;
  }
  EXPECT_THAT(shown, HasSubstr("cuda:0 is emulated: its times are of no device"));
}

TEST_F(CudaReportTest, EachReporterTellsOfRecordsThatWereLost) {
  for (const char* reporter :
       {"classic", "csv", "html", "json", "nvprof", "statset", "summary", "trace"}) {
    const std::string shown = report(reporter, {"LOCI_CUDA_DOUBLE=cupti_drop=1%"});
    EXPECT_THAT(shown, ContainsRegex("dropped[^0-9]*[1-9]")) << reporter;
    EXPECT_THAT(shown, HasSubstr("cuda:0 is emulated: its times are of no device")) << reporter;
  }
}

TEST_F(CudaReportTest, WithoutCuptiTheRunGoesOnAndTheReportSaysIt) {
  EXPECT_THAT(report("nvprof", {"LOCI_CUDA_CUPTI=0"}),
              AllOf(HasSubstr("cuda: device work is missing: LOCI_CUDA_CUPTI=0 turns CUPTI off"),
                    Not(HasSubstr("relu_f32"))));
}

TEST_F(CudaReportTest, WhereCuptiRefusesTheReportSaysWhatToDo) {
  const std::string shown = report("statset", {"LOCI_CUDA_DOUBLE=fail=cuptiActivityEnable:2:35"});
  EXPECT_THAT(shown, HasSubstr("cuda: device work is missing: CUPTI refused to record kernels with "
                               "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; run as administrator"));
}

TEST_F(CudaReportTest, ALibraryThatIsNoneIsNamed) {
  const std::string driver = build_path("lib/loci/cuda_double/libcuda.so.1");
  const auto with = [&](const std::string& cupti) {
    const Finished finished =
        run_process({build_path("bin/loci"), "run", scratch_.path("model"), "--device", "cuda:0",
                     "--feed", "x=1", "--profile", "all", "--reporter", "nvprof"},
                    {"LOCI_CUDA_DRIVER=" + driver, "LOCI_CUDA_CUPTI=" + cupti});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return finished.out;
  };
  EXPECT_THAT(with("/absent/libcupti.so.13"),
              AllOf(HasSubstr("device work is missing: no CUPTI (/absent/libcupti.so.13: cannot"),
                    HasSubstr("mend LOCI_CUDA_CUPTI")));
  EXPECT_THAT(with(driver), HasSubstr("has no cuptiActivityDisable)"));
  EXPECT_THAT(with(""), HasSubstr("the device is emulated, and LOCI_CUDA_CUPTI names no double"));
}

}  // namespace
}  // namespace loci::test
