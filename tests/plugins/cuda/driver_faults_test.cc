// Every call of the driver's in a short training fails once: an error that says what failed, or
// none where nothing hangs on it; nothing is lost, and the same training goes well afterwards.
// LOCI_DRIVER_FAULTS is how many of the calls are tried, 0 for all.
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <loci/loci.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/small_training.h"

namespace loci::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns true if it only gives something back: where the driver refuses, that stays with it.
bool gives_back(const std::string& function) {
  static const std::set<std::string> kNames{"cuMemFree_v2",
                                            "cuMemFreeAsync",
                                            "cuMemFreeHost",
                                            "cuMemHostUnregister",
                                            "cuStreamDestroy_v2",
                                            "cuEventDestroy_v2",
                                            "cuModuleUnload",
                                            "cuGraphDestroy",
                                            "cuGraphExecDestroy",
                                            "cuCtxPopCurrent_v2",
                                            "cuDevicePrimaryCtxRelease_v2"};
  return kNames.count(function) != 0;
}

class CudaDriverFaultsTest : public ::testing::TestWithParam<CUresult> {
 protected:
  static void SetUpTestSuite() { use_two_devices(); }
  void TearDown() override { fail_driver_call(0, 0); }

  // Returns as many of 1 to `count` as are asked for, others for each code.
  static std::vector<std::uint64_t> sampled(std::uint64_t count, std::uint64_t otherwise) {
    const char* text = std::getenv("LOCI_DRIVER_FAULTS");
    const std::uint64_t wanted = text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
    const std::uint64_t stride = wanted == 0 ? 1 : std::max<std::uint64_t>(1, count / wanted);
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t n = 1 + static_cast<std::uint64_t>(GetParam()) % stride; n <= count;
         n += stride) {
      numbers.push_back(n);
    }
    return numbers;
  }

  // The error of what the n-th call fails in; none if it does not matter.
  static std::optional<Error> fault(std::uint64_t n, const std::function<void()>& work) {
    fail_driver_call(n, GetParam());
    std::optional<Error> told;
    try {
      work();
    } catch (const Error& error) {
      told = error;
    }
    return told;
  }

  static std::string text_of(const Error& error) {
    return error.details().empty() ? error.what() : error.what() + (" (" + error.details() + ")");
  }
  static void expect_clear(const Error& error) {
    const std::string text = text_of(error);
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    EXPECT_THAT(text, ContainsRegex("CUDA_ERROR_|CUBLAS_STATUS_"));
    EXPECT_THAT(text, HasSubstr("; "));
    if (error.code() != ErrorCode::kDeviceLost) return;
    EXPECT_THAT(text, HasSubstr("start the program again"));
  }

  [[nodiscard]] std::vector<float> train() const {
    return model_.run("cuda:0", options_, steps_).values;
  }
  [[nodiscard]] std::vector<float> train_in_new_context() const {
    const Context context;
    const ContextGuard guard(context);
    return train();
  }
  void expect_recovery() const {
    if (!device_loss("cuda:0").empty()) reopen_device("cuda:0");
    // Where the driver was not found the plugin does without for good.
    EXPECT_EQ(device_count("cuda") == 0 ? train_in_new_context() : train(), undisturbed_);
  }
  // In a context of its own: from the opening of the driver to the closing of the device. Gives the
  // function that failed.
  [[nodiscard]] std::string fail_in_new_context(std::uint64_t n) const {
    const Context context;
    const ContextGuard guard(context);
    std::vector<float> got = undisturbed_;
    const auto told = fault(n, [&] { got = train(); });
    const std::string function = failed_driver_function();
    SCOPED_TRACE(function + (told ? ": " + text_of(*told) : " is borne"));
    if (told) expect_clear(*told);
    EXPECT_EQ(got, undisturbed_);
    // Else it is one of those that close the device.
    if (!function.empty()) expect_recovery();
    return function;
  }
  void fail_each(const CompileOptions& options, int steps, std::uint64_t samples) {
    options_ = options;
    steps_ = steps;
    undisturbed_ = train_in_new_context();
    const std::uint64_t before = driver_calls();
    ASSERT_EQ(train_in_new_context(), undisturbed_);
    const std::uint64_t count = driver_calls() - before;
    for (const std::uint64_t n : sampled(count, samples)) {
      SCOPED_TRACE("call " + std::to_string(n) + " of " + std::to_string(count));
      const unsigned found = finding_count();
      std::string function = fail_in_new_context(n);
      if (function.empty()) function = failed_driver_function();
      fail_driver_call(0, 0);
      EXPECT_TRUE(gives_back(function) || findings_since(found).empty()) << function;
    }
    EXPECT_EQ(train_in_new_context(), undisturbed_);
  }

  const SmallTraining model_;
  CompileOptions options_;
  int steps_ = 0;
  std::vector<float> undisturbed_;
};

TEST_P(CudaDriverFaultsTest, OfATraining) { fail_each(CompileOptions(), 2, 5); }

// Steps that run plainly, are captured and replayed.
TEST_P(CudaDriverFaultsTest, OfATrainingThatCapturesItself) {
  CompileOptions options;
  options.capture = GraphCapture::kAuto;
  fail_each(options, 5, 5);
}

INSTANTIATE_TEST_SUITE_P(Codes, CudaDriverFaultsTest,
                         ::testing::Values(CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE,
                                           CUDA_ERROR_LAUNCH_FAILED));

}  // namespace
}  // namespace loci::test
