// Which convolutions cuDNN computes, and what is said where it is not, or does not fit; on the
// doubles of the library and of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/open_double.h"
#include "tests/support/paths.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string& cudnn_library() {
  static const std::string path = test::build_path("lib/loci/cuda_double/libcudnn.so.9");
  return path;
}

std::map<std::string, AttributeValue> attributes_of(std::vector<std::int64_t> paddings,
                                                    std::int64_t groups) {
  return {{"strides", std::vector<std::int64_t>{1, 1}},
          {"paddings", std::move(paddings)},
          {"dilations", std::vector<std::int64_t>{1, 1}},
          {"groups", groups},
          {"padding_algorithm", std::string("EXPLICIT")}};
}

Call convolution(loci_dtype dtype, const Dims& x, const Dims& filter, const Dims& out,
                 std::vector<std::int64_t> paddings = {0, 0}, std::int64_t groups = 1) {
  return {"conv2d",
          {empty_like(dtype, x), empty_like(dtype, filter), absent()},
          {{dtype, out}},
          attributes_of(std::move(paddings), groups)};
}

Call plain(loci_dtype dtype) {
  return convolution(dtype, {2, 3, 6, 6}, {4, 3, 3, 3}, {2, 4, 4, 4});
}

// With the double of the library and what LOCI_CUDNN_DOUBLE sets it up with.
DrivenPlugin with_library(const char* setup, std::map<std::string, std::string> options = {}) {
  ::setenv("LOCI_CUDNN_DOUBLE", setup, /*replace=*/1);
  options.emplace("cudnn", cudnn_library());
  return open_double("devices=1", std::move(options));
}

std::string refusal_by(const char* setup) {
  return with_library(setup).refusal(plain(LOCI_DTYPE_F32), "cudnn");
}

std::string refusal_of(const std::string& setting) {
  DrivenPlugin plugin = open_double("devices=1", {{"cudnn", setting}});
  EXPECT_EQ(plugin.implementation_of(plain(LOCI_DTYPE_F32)), "cuda");
  return plugin.refusal(plain(LOCI_DTYPE_F32), "cudnn");
}

// The doubles read their settings once, so that each of these has a process of its own.
TEST(Cudnn, ConvolvesFloatsWhereItIsFound) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = with_library("");
              for (const loci_dtype dtype : {LOCI_DTYPE_F32, LOCI_DTYPE_F16, LOCI_DTYPE_BF16}) {
                EXPECT_EQ(plugin.implementation_of(plain(dtype)), "cudnn");
              }
              EXPECT_EQ(plugin.implementation_of(plain(LOCI_DTYPE_F64)), "cuda");
            }),
            0);
}

TEST(Cudnn, LeavesWhatItDoesNotTakeAndSaysWhy) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = with_library("");
              const auto refusal = [&](const Call& call) { return plugin.refusal(call, "cudnn"); };
              EXPECT_THAT(
                  refusal(convolution(LOCI_DTYPE_F32, {0, 3, 6, 6}, {4, 3, 3, 3}, {0, 4, 4, 4})),
                  HasSubstr("there is nothing to convolve"));
              EXPECT_THAT(refusal(convolution(LOCI_DTYPE_F32, {1, 3, 6, 6}, {4, 3, 3, 3},
                                              {1, 4, 5, 6}, {0, 1, 1, 1})),
                          HasSubstr("cuDNN pads images by as much behind as before"));
              EXPECT_THAT(refusal(convolution(LOCI_DTYPE_F32, {1, 3, 6, 6}, {3, 1, 3, 3},
                                              {1, 3, 4, 4}, {0, 0}, 3)),
                          HasSubstr("groups of one channel are left to the plugin's own kernels"));
            }),
            0);
}

TEST(Cudnn, CountsNoMoreThanItsIntegersHold) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = with_library("");
              // Descriptions alone: nothing of that size is allocated.
              constexpr std::int64_t kMany = std::int64_t{1} << 22;
              Call call = plain(LOCI_DTYPE_F16);
              call.inputs[0] = metadata(LOCI_DTYPE_F16, {kMany, 32, 4, 4});
              call.inputs[1] = metadata(LOCI_DTYPE_F16, {1, 32, 4, 4});
              call.outputs = {{LOCI_DTYPE_F16, {kMany, 1, 1, 1}}};
              EXPECT_THAT(plugin.refusal(call, "cudnn"),
                          HasSubstr("cuDNN counts no more than 2^31 elements"));
            }),
            0);
}

// The driver calls of preparing a convolution that the double has two algorithms for.
std::uint64_t calls_of_choosing(const char* tune) {
  DrivenPlugin plugin = with_library("", {{"tune", tune}});
  plugin.implementation_of(convolution(LOCI_DTYPE_F32, {1, 2, 4, 4}, {2, 2, 3, 3}, {1, 2, 2, 2}));
  const std::uint64_t before = test::driver_calls();
  EXPECT_EQ(plugin.implementation_of(plain(LOCI_DTYPE_F32)), "cudnn");
  return test::driver_calls() - before;
}

TEST(Cudnn, TriesAlgorithmsWhereToldSo) {
  EXPECT_EQ(in_child([] {
              constexpr std::uint64_t kRunsOfBoth = 2 * 4;
              const std::uint64_t untried = calls_of_choosing("0");
              EXPECT_GE(calls_of_choosing("1"), untried + kRunsOfBoth);
            }),
            0);
}

TEST(Cudnn, TriesEachConvolutionOnce) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = with_library("", {{"tune", "1"}});
              plugin.implementation_of(plain(LOCI_DTYPE_F16));
              const auto calls = [&] {
                const std::uint64_t before = test::driver_calls();
                plugin.implementation_of(plain(LOCI_DTYPE_F32));
                return test::driver_calls() - before;
              };
              const std::uint64_t first = calls();
              EXPECT_LT(calls() + 2 * 4, first);
            }),
            0);
}

// Each driver call of trying fails once: without memory to try in the library's first choice
// stands.
TEST(Cudnn, WithoutMemoryToTryInNothingIsTried) {
  EXPECT_EQ(in_child([] {
              constexpr int kOutOfMemory = 2;
              DrivenPlugin plugin = with_library("", {{"tune", "1"}});
              plugin.implementation_of(plain(LOCI_DTYPE_F16));
              std::string chosen_without;
              for (std::int64_t n = 1; n <= 40; ++n) {
                const std::int64_t side = 6 + n;
                const Call call =
                    convolution(LOCI_DTYPE_F32, {2, 3, side, 6}, {4, 3, 3, 3}, {2, 4, side - 2, 4});
                test::fail_driver_call(static_cast<std::uint64_t>(n), kOutOfMemory);
                try {
                  const std::string chosen = plugin.implementation_of(call);
                  if (test::failed_driver_function() == "cuMemAlloc_v2") chosen_without = chosen;
                } catch (const PluginError&) {
                }
                test::fail_driver_call(0, 0);
              }
              EXPECT_EQ(chosen_without, "cudnn");
              EXPECT_EQ(plugin.implementation_of(plain(LOCI_DTYPE_F32)), "cudnn");
            }),
            0);
}

TEST(Cudnn, AMissingLibraryIsNamed) {
  EXPECT_EQ(in_child([] {
              EXPECT_THAT(refusal_of("/absent/libcudnn.so.9"),
                          AllOf(HasSubstr("no cuDNN (/absent/libcudnn.so.9: cannot open"),
                                HasSubstr("install the package libcudnn9-cuda-13"),
                                HasSubstr("mend LOCI_CUDA_CUDNN")));
            }),
            0);
}

TEST(Cudnn, ASettingTurnsItOff) {
  EXPECT_EQ(in_child([] { EXPECT_EQ(refusal_of("0"), "LOCI_CUDA_CUDNN=0 turns cuDNN off"); }), 0);
}

// The vendor's library would find another driver.
TEST(Cudnn, AnEmulatedDeviceTakesNoLibraryThatWasNotNamed) {
  EXPECT_EQ(in_child([] { EXPECT_THAT(refusal_of(""), HasSubstr("the device is emulated")); }), 0);
}

TEST(Cudnn, AnotherLibraryIsNoneAndSaysWhatItLacks) {
  EXPECT_EQ(in_child([] {
              const std::string driver = test::build_path("lib/loci/cuda_double/libcuda.so.1");
              EXPECT_EQ(refusal_of(driver), "mismatched cuDNN: " + driver +
                                                " has no cudnnGetVersion; install cuDNN 9; mend "
                                                "LOCI_CUDA_CUDNN");
            }),
            0);
}

TEST(Cudnn, AnotherMajorVersionIsMismatched) {
  EXPECT_EQ(in_child([] {
              EXPECT_EQ(refusal_by("version=8907"),
                        "mismatched cuDNN: " + cudnn_library() +
                            " is 8.9.7, and the plugin takes 9; install cuDNN 9; mend "
                            "LOCI_CUDA_CUDNN");
            }),
            0);
  EXPECT_EQ(in_child([] {
              EXPECT_THAT(refusal_by("version=100203"),
                          HasSubstr(" is 10.2.3, and the plugin takes 9; install cuDNN 9"));
            }),
            0);
}

TEST(Cudnn, ALibraryForANewerToolkitThanTheDriversIsMismatched) {
  EXPECT_EQ(in_child([] {
              EXPECT_THAT(refusal_by("version=91002,cudart=14020"),
                          AllOf(HasSubstr(" is 9.10.2 for CUDA 14.2, and the driver has 13."),
                                HasSubstr("; update the driver, or install the package "
                                          "libcudnn9-cuda-13 (nvidia-cudnn-cu13 of PyPI)")));
            }),
            0);
}

TEST(Cudnn, LibrariesOfTwoVersionsAreMismatched) {
  EXPECT_EQ(in_child([] {
              EXPECT_THAT(refusal_by("parts=mixed"),
                          AllOf(HasSubstr(" is 9.26.0, and the libraries beside it are not "
                                          "(cudnnCnnVersionCheck: "
                                          "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH); leave one "
                                          "cuDNN where the loader looks")));
            }),
            0);
}

TEST(Cudnn, AHandleThatIsRefusedIsTold) {
  EXPECT_EQ(in_child([] {
              EXPECT_EQ(refusal_by("refuse=create"),
                        "no cuDNN that works (cudnnCreate: CUDNN_STATUS_NOT_SUPPORTED); it needs a "
                        "driver as new as itself and some memory of the device");
            }),
            0);
}

TEST(Cudnn, AShapeThatItsHeuristicsRefuseIsLeft) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = with_library("refuse=heuristics");
              EXPECT_EQ(plugin.implementation_of(plain(LOCI_DTYPE_F32)), "cuda");
              EXPECT_EQ(plugin.refusal(plain(LOCI_DTYPE_F32), "cudnn"),
                        "cuDNN does not take it (choosing an algorithm: "
                        "CUDNN_STATUS_NOT_SUPPORTED)");
            }),
            0);
}

}  // namespace
}  // namespace loci::testing
