// Products by cuBLASLt and without it, on the doubles of the library and of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/open_double.h"
#include "tests/support/paths.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string& library() {
  static const std::string path = test::build_path("lib/loci/cuda_double/libcublasLt.so.13");
  return path;
}

Call product(loci_dtype dtype, const Dims& x, const Dims& y, const Dims& out) {
  return {"matmul",
          {empty_like(dtype, x), empty_like(dtype, y)},
          {{dtype, out}},
          {{"transpose_x", false}, {"transpose_y", false}}};
}

Call square() { return product(LOCI_DTYPE_F32, {4, 4}, {4, 4}, {4, 4}); }

std::string refusal(const Call& call, std::map<std::string, std::string> options) {
  DrivenPlugin plugin = open_double("devices=1", std::move(options));
  return plugin.refusal(call, "cublaslt");
}

// The double reads its settings once, so that each of these has a process of its own.
TEST(CublasLt, MultipliesFloatsWhereItIsFound) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}});
              EXPECT_EQ(plugin.implementation_of(square()), "cublaslt");
              EXPECT_EQ(plugin.implementation_of(
                            product(LOCI_DTYPE_BF16, {2, 3, 4}, {2, 4, 5}, {2, 3, 5})),
                        "cublaslt");
              EXPECT_EQ(plugin.implementation_of(product(LOCI_DTYPE_I32, {4, 4}, {4, 4}, {4, 4})),
                        "cuda");
            }),
            0);
}

TEST(CublasLt, LeavesWhatItDoesNotTakeAndSaysWhy) {
  EXPECT_EQ(
      in_child([] {
        DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}});
        EXPECT_THAT(plugin.refusal(product(LOCI_DTYPE_F32, {0, 3}, {3, 4}, {0, 4}), "cublaslt"),
                    HasSubstr("there is nothing to multiply"));
        EXPECT_THAT(plugin.refusal(product(LOCI_DTYPE_F32, {2, 1, 3, 4}, {5, 4, 2}, {2, 5, 3, 2}),
                                   "cublaslt"),
                    HasSubstr("repeat along some leading extents"));
      }),
      0);
}

Call convolution(loci_dtype dtype, std::int64_t stride, std::int64_t groups) {
  const std::int64_t side = stride == 1 ? 4 : 2;
  return {"conv2d",
          {empty_like(dtype, {2, 8, 4, 4}), empty_like(dtype, {6, 8 / groups, 1, 1})},
          {{dtype, {2, 6, side, side}}},
          {{"strides", std::vector<std::int64_t>{stride, stride}},
           {"paddings", std::vector<std::int64_t>{0, 0}},
           {"dilations", std::vector<std::int64_t>{1, 1}},
           {"padding_algorithm", std::string("EXPLICIT")},
           {"groups", groups}}};
}

Call with_bias(Call call) {
  call.inputs.push_back(empty_like(call.outputs[0].first, {6}));
  return call;
}

TEST(CublasLt, ConvolvesByPixels) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}});
              for (const loci_dtype dtype : {LOCI_DTYPE_F32, LOCI_DTYPE_F16, LOCI_DTYPE_F64}) {
                EXPECT_EQ(plugin.implementation_of(convolution(dtype, 1, 1)), "cublaslt");
              }
              for (const loci_dtype dtype : {LOCI_DTYPE_F32, LOCI_DTYPE_F16}) {
                EXPECT_EQ(plugin.implementation_of(with_bias(convolution(dtype, 1, 1))),
                          "cublaslt");
              }
            }),
            0);
}

// It lays planes out anew.
TEST(CublasLt, ConvolvesByPixelsWhereCudnnIsFoundToo) {
  EXPECT_EQ(
      in_child([] {
        const std::string cudnn = test::build_path("lib/loci/cuda_double/libcudnn.so.9");
        DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}, {"cudnn", cudnn}});
        EXPECT_EQ(plugin.implementation_of(convolution(LOCI_DTYPE_F32, 1, 1)), "cublaslt");
        EXPECT_EQ(plugin.implementation_of(convolution(LOCI_DTYPE_BF16, 1, 1)), "cublaslt");
        EXPECT_EQ(plugin.implementation_of(convolution(LOCI_DTYPE_F32, 2, 1)), "cudnn");
      }),
      0);
}

Call ended_product(loci_dtype dtype, const char* activation) {
  Call call = product(dtype, {3, 8}, {8, 6}, {3, 6});
  call.op = "fused_matmul";
  call.inputs.push_back(empty_like(dtype, {6}));
  call.inputs.push_back(empty_like(dtype, {3, 6}));
  call.attributes.emplace("activation", std::string(activation));
  return call;
}

// The library has no such epilogue, or one that would round them twice.
TEST(CublasLt, MultipliesHalvesWhateverEndsThem) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}});
              for (const loci_dtype dtype : {LOCI_DTYPE_F16, LOCI_DTYPE_BF16}) {
                for (const char* activation : {"none", "gelu", "gelu_tanh", "hard_swish"}) {
                  EXPECT_EQ(plugin.implementation_of(ended_product(dtype, activation)), "cublaslt");
                }
              }
            }),
            0);
}

TEST(CublasLt, LeavesOtherConvolutionsAndSaysWhy) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}});
              for (const Call& call :
                   {convolution(LOCI_DTYPE_F32, 2, 1), convolution(LOCI_DTYPE_F32, 1, 2)}) {
                EXPECT_EQ(plugin.implementation_of(call), "cuda");
                EXPECT_THAT(plugin.refusal(call, "cublaslt"),
                            HasSubstr("only windows of one pixel, of all channels"));
              }
            }),
            0);
}

TEST(CublasLt, AMissingLibraryIsNamed) {
  EXPECT_EQ(in_child([] {
              EXPECT_THAT(refusal(square(), {{"cublaslt", "/absent/libcublasLt.so.13"}}),
                          AllOf(HasSubstr("no cuBLASLt (/absent/libcublasLt.so.13: cannot open"),
                                HasSubstr("mend LOCI_CUDA_CUBLASLT")));
            }),
            0);
}

TEST(CublasLt, AnotherLibraryIsNoneAndSaysWhatItLacks) {
  EXPECT_EQ(in_child([] {
              const std::string driver = test::build_path("lib/loci/cuda_double/libcuda.so.1");
              EXPECT_THAT(refusal(square(), {{"cublaslt", driver}}),
                          AllOf(HasSubstr("no cuBLASLt of 12 or newer ("),
                                HasSubstr("has no cublasLtCreate)")));
            }),
            0);
}

TEST(CublasLt, ASettingTurnsItOff) {
  EXPECT_EQ(in_child([] {
              EXPECT_EQ(refusal(square(), {{"cublaslt", "0"}}),
                        "LOCI_CUDA_CUBLASLT=0 turns cuBLASLt off");
            }),
            0);
}

// The driver calls of preparing a product that the double has two algorithms for.
std::uint64_t calls_of_preparing(const char* tune) {
  DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}, {"tune", tune}});
  plugin.implementation_of(square());
  const std::uint64_t before = test::driver_calls();
  EXPECT_EQ(plugin.implementation_of(product(LOCI_DTYPE_F32, {4, 128}, {128, 4}, {4, 4})),
            "cublaslt");
  return test::driver_calls() - before;
}

TEST(CublasLt, TriesAlgorithmsWhereToldSo) {
  EXPECT_EQ(in_child([] {
              constexpr std::uint64_t kRunsOfBoth = 2 * 4;
              const std::uint64_t untried = calls_of_preparing("0");
              EXPECT_GE(calls_of_preparing("1"), untried + kRunsOfBoth);
            }),
            0);
}

// Each driver call of trying fails once: without memory to try in the library's first choice
// stands.
TEST(CublasLt, WithoutMemoryToTryInNothingIsTried) {
  EXPECT_EQ(
      in_child([] {
        constexpr int kOutOfMemory = 2;
        DrivenPlugin plugin = open_double("devices=1", {{"cublaslt", library()}, {"tune", "1"}});
        plugin.implementation_of(square());
        std::string chosen_without;
        for (std::int64_t n = 1; n <= 40; ++n) {
          const std::int64_t k = 128 + n;
          const Call call = product(LOCI_DTYPE_F32, {4, k}, {k, 4}, {4, 4});
          test::fail_driver_call(static_cast<std::uint64_t>(n), kOutOfMemory);
          try {
            const std::string chosen = plugin.implementation_of(call);
            if (test::failed_driver_function() == "cuMemAlloc_v2") chosen_without = chosen;
          } catch (const PluginError&) {
          }
          test::fail_driver_call(0, 0);
        }
        EXPECT_EQ(chosen_without, "cublaslt");
        EXPECT_EQ(plugin.implementation_of(square()), "cublaslt");
      }),
      0);
}

// The vendor's library would find another driver.
TEST(CublasLt, AnEmulatedDeviceTakesNoLibraryThatWasNotNamed) {
  EXPECT_EQ(
      in_child([] { EXPECT_THAT(refusal(square(), {}), HasSubstr("the device is emulated")); }), 0);
}

TEST(CublasLt, AMalformedSwitchIsRefused) {
  EXPECT_THAT(
      [] {
        open_double("devices=1", {{"tf32", "yes"}});
      },
      ThrowsMessage<PluginError>(HasSubstr("[cuda] the setting tf32 is 'yes'; it takes 0 or 1")));
  EXPECT_THAT(
      [] {
        open_double("devices=1", {{"tune", "2"}});
      },
      ThrowsMessage<PluginError>(HasSubstr("[cuda] the setting tune is '2'; it takes 0 or 1")));
}

}  // namespace
}  // namespace loci::testing
