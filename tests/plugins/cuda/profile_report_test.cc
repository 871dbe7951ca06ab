// Reports of `loci run` on an emulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/subprocess.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kReporters{"classic", "csv",     "html",    "json",
                                          "nvprof",  "statset", "summary", "trace"};

class CudaReportTest : public ::testing::Test {
 protected:
  CudaReportTest() {
    const Program main;
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2, 3}, kFloat32);
    io::save_inference_model(scratch_.path("model"), main, {x}, {exp(relu(x))}, Scope());
  }

  // Returns what reporters write about one run, by their names.
  std::map<std::string, std::string> reports(const std::vector<std::string>& reporters,
                                             const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {build_path("bin/loci"),
                                        "run",
                                        scratch_.path("model"),
                                        "--device",
                                        "cuda:0",
                                        "--emulated-cuda",
                                        "--optimize",
                                        "none",
                                        "--feed",
                                        "x=1",
                                        "--repeat",
                                        "20",
                                        "--profile",
                                        "all"};
    for (const std::string& reporter : reporters) {
      command.emplace_back("--reporter");
      command.push_back(std::string(reporter).append("=").append(scratch_.path(reporter)));
    }
    const Finished finished = run_process(command, environment);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    std::map<std::string, std::string> contents;
    for (const std::string& reporter : reporters) {
      std::ostringstream content;
      content << std::ifstream(scratch_.path(reporter)).rdbuf();
      contents[reporter] = content.str();
    }
    return contents;
  }
  std::string report(const std::string& reporter,
                     const std::vector<std::string>& environment = {}) {
    return reports({reporter}, environment)[reporter];
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

// Returns the text that follows "thread0::NAME" in its line.
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

// How many records of the device were lost, as a report has it; 0 where it does not say.
int dropped_in(const std::string& shown) {
  // The first form is that of the profile as JSON, which a page also has, the other that of a text.
  for (const char* form : {R"("kind": ?"device records of cuda", ?"count": ?([0-9]+))",
                           R"([Dd]ropped[a-z ]*:? *([0-9]+))"}) {
    std::smatch found;
    if (std::regex_search(shown, found, std::regex(form))) return std::stoi(found[1]);
  }
  return 0;
}

TEST_F(CudaReportTest, EachReporterTellsHowManyRecordsWereLost) {
  const auto shown = reports(kReporters, {"LOCI_CUDA_DOUBLE=cupti_drop=1%"});
  const int dropped = dropped_in(shown.at("nvprof"));
  EXPECT_GE(dropped, 2);
  for (const auto& [reporter, text] : shown) {
    EXPECT_EQ(dropped_in(text), dropped) << reporter;
    EXPECT_THAT(text, HasSubstr("cuda:0 is emulated: its times are of no device")) << reporter;
  }
}

TEST_F(CudaReportTest, EachReporterTellsOfTheOverhead) {
  for (const auto& [reporter, text] : reports(kReporters)) {
    EXPECT_THAT(text, HasSubstr("cuda: CUPTI tells of ")) << reporter;
  }
}

TEST_F(CudaReportTest, WithoutCuptiEventsTellTheTimesAndEachReporterSaysIt) {
  const auto shown = reports(kReporters, {"LOCI_CUDA_CUPTI=0"});
  for (const auto& [reporter, text] : shown) {
    EXPECT_THAT(text,
                HasSubstr("cuda: times come from CUDA events: LOCI_CUDA_CUPTI=0 turns CUPTI off"))
        << reporter;
  }
  EXPECT_THAT(shown.at("nvprof"),
              AllOf(ContainsRegex(" 20 .* kernels of exp\n"), ContainsRegex("memcpy HtoD\\]\n"),
                    HasSubstr("; calls of the driver are missing")));
}

TEST_F(CudaReportTest, WorkWhoseEventsFailIsCounted) {
  const std::string shown =
      report("nvprof", {"LOCI_CUDA_CUPTI=0", "LOCI_CUDA_DOUBLE=fail=cuStreamGetId:5:1"});
  EXPECT_THAT(shown, ContainsRegex("Records dropped +1 \\(device records of cuda 1\\)"));
}

TEST_F(CudaReportTest, WhereCuptiRefusesTheReportSaysWhatToDo) {
  const std::string denied = report("statset", {"LOCI_CUDA_DOUBLE=fail=cuptiActivityEnable:2:35"});
  EXPECT_THAT(denied,
              HasSubstr("cuda: times come from CUDA events: CUPTI refused to record kernels "
                        "with CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; run as administrator"));
  const std::string taken = report("classic", {"LOCI_CUDA_DOUBLE=fail=cuptiActivityEnable:1:39"});
  EXPECT_THAT(taken, HasSubstr("cuda: times come from CUDA events: CUPTI refused to record whose "
                               "work is whose with CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; "
                               "end the other profiler of this process"));
  EXPECT_GT(device_time_in(row_of(taken, "exp")), 0) << taken;
}

// A copy of the double that lacks a function: its table of symbols has another name instead.
std::string cupti_without(const std::string& function, const ScratchDirectory& scratch) {
  std::ifstream file(build_path("lib/loci/cuda_double/libcupti.so.13"), std::ios::binary);
  std::string library{std::istreambuf_iterator<char>(file), {}};
  std::string other = function;
  other.back() = '_';
  std::size_t found = 0;
  for (std::size_t at = 0; (at = library.find(function + '\0', at)) != std::string::npos; ++found) {
    library.replace(at, function.size(), other);
  }
  EXPECT_GT(found, 0U) << function;
  scratch.write("libcupti.so.12", library);
  return scratch.path("libcupti.so.12");
}

// The library of CUDA 12.4 is such a one. Without records of calls no work finds its operator.
TEST_F(CudaReportTest, ALibraryThatCannotChooseCallsTellsOfWorkToo) {
  const std::string profile = scratch_.path("profile");
  const Finished finished =
      run_process({build_path("bin/loci"), "run", scratch_.path("model"), "--device", "cuda:0",
                   "--optimize", "none", "--feed", "x=1", "--repeat", "20", "--profile", "gpu",
                   "--reporter", "json=" + profile},
                  {"LOCI_CUDA_DRIVER=" + build_path("lib/loci/cuda_double/libcuda.so.1"),
                   "LOCI_CUDA_CUPTI=" + cupti_without("cuptiActivityEnableDriverApi", scratch_)});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const nlohmann::json quality = nlohmann::json::parse(scratch_.read("profile")).at("quality");
  EXPECT_EQ(quality.at("unattributed_device_spans"), 0);
  EXPECT_THAT(quality.at("notes").dump(),
              AllOf(HasSubstr("CUPTI tells of"), Not(HasSubstr("times come from CUDA events"))));
}

// Nobody asks for calls there, of which CUPTI then records only those by which ids join.
TEST_F(CudaReportTest, VerifyFindsTheIdsOfAllWork) {
  const std::string there = build_path("lib/loci/cuda_double/");
  const Finished finished =
      run_process({build_path("bin/loci"), "verify", build_path("lib/loci/plugins/loci-cuda.so"),
                   "--emulated", "--level", "profile"},
                  {"LOCI_CUDA_DRIVER=" + there + "libcuda.so.1",
                   "LOCI_CUDA_CUPTI=" + there + "libcupti.so.13"});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
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
  EXPECT_THAT(
      with("/absent/libcupti.so.13"),
      AllOf(HasSubstr("times come from CUDA events: no CUPTI (/absent/libcupti.so.13: cannot"),
            HasSubstr("mend LOCI_CUDA_CUPTI")));
  EXPECT_THAT(with(driver), HasSubstr("has no cuptiActivityDisable)"));
  EXPECT_THAT(with(""), HasSubstr("the device is emulated, and LOCI_CUDA_CUPTI names no double"));
}

}  // namespace
}  // namespace loci::test
