// Where chains are compiled and where not, and why: the compiler is looked for at run time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda/open_double.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const char* const kFake = LOCI_FAKE_NVRTC_LIBRARY;

Call chain(const std::vector<std::string>& ops) {
  std::vector<std::int64_t> operands;
  std::int64_t value = 0;
  for (const std::string& op : ops) {
    const bool is_binary = op == "elementwise_mul";
    operands.push_back(is_binary ? 2 : 1);
    for (int i = 0; i < (is_binary ? 2 : 1); ++i) operands.push_back(value);
    ++value;
  }
  return {"fused_elementwise",
          {empty_like(LOCI_DTYPE_F32, {4})},
          {{LOCI_DTYPE_F32, {4}}},
          {{"ops", ops},
           {"operands", operands},
           {"dtypes", std::vector<std::int64_t>(ops.size(), LOCI_DTYPE_F32)},
           {"constants", std::vector<double>()},
           {"results", std::vector<std::int64_t>{value}}}};
}

Call squares() { return chain({"elementwise_mul", "abs"}); }
Call exponentials() { return chain({"elementwise_mul", "exp"}); }

// Expects that NVRTC's kernel refuses the call; the double reads its settings once in a process.
void expect_refusal(const Call& call, std::map<std::string, std::string> options,
                    const ::testing::Matcher<std::string>& reason) {
  EXPECT_EQ(in_child([&] {
              DrivenPlugin plugin = open_double("devices=1", std::move(options));
              EXPECT_THAT(plugin.refusal(call, "nvrtc"), reason);
              EXPECT_EQ(plugin.implementation_of(call), "cuda");
            }),
            0);
}

TEST(Nvrtc, CompilesNothingForAnEmulatedDeviceUnlessALibraryIsNamed) {
  expect_refusal(squares(), {}, HasSubstr("no NVRTC: the device is emulated, and LOCI_CUDA_NVRTC"));
}

TEST(Nvrtc, ASettingTurnsItOff) {
  expect_refusal(squares(), {{"nvrtc", "0"}}, HasSubstr("LOCI_CUDA_NVRTC=0 turns NVRTC off"));
}

TEST(Nvrtc, AMissingLibraryIsNamed) {
  expect_refusal(squares(), {{"nvrtc", "/absent/libnvrtc.so.13"}},
                 AllOf(HasSubstr("no NVRTC (/absent/libnvrtc.so.13: cannot open"),
                       HasSubstr("mend LOCI_CUDA_NVRTC")));
}

TEST(Nvrtc, AnotherLibraryIsNoneAndSaysWhatItLacks) {
  const std::string driver = test::build_path("lib/loci/cuda_double/libcuda.so.1");
  expect_refusal(squares(), {{"nvrtc", driver}},
                 AllOf(HasSubstr("no NVRTC of 12 or newer ("), HasSubstr("has no nvrtcVersion)")));
}

class FakeNvrtc : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("LOCI_FAKE_NVRTC", "13.0", 1); }
  void TearDown() override {
    ::unsetenv("LOCI_FAKE_NVRTC");
    ::unsetenv("LOCI_FAKE_ARCHITECTURE");
  }
};

TEST_F(FakeNvrtc, IsTaken) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"nvrtc", kFake}});
              EXPECT_EQ(plugin.implementation_of(squares()), "nvrtc");
            }),
            0);
}

TEST_F(FakeNvrtc, OfAnOldVersionIsNone) {
  ::setenv("LOCI_FAKE_NVRTC", "11.8", 1);
  expect_refusal(squares(), {{"nvrtc", kFake}},
                 AllOf(HasSubstr("no NVRTC of 12 or newer ("), HasSubstr(" is of 11)")));
}

// A chain that only adds and multiplies has the same bits by every version.
TEST_F(FakeNvrtc, OfAnotherVersionThanThePluginsKernelsTakesNoFunctionsOfItsOwn) {
  ::setenv("LOCI_FAKE_NVRTC", "12.1", 1);
  expect_refusal(exponentials(), {{"nvrtc", kFake}},
                 HasSubstr("NVRTC 12.1 may round functions such as exp otherwise than the plugin's "
                           "kernels, which are of CUDA "));
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open_double("devices=1", {{"nvrtc", kFake}});
              EXPECT_EQ(plugin.implementation_of(squares()), "nvrtc");
            }),
            0);
}

TEST_F(FakeNvrtc, ThatKnowsOnlyNewerDevicesTakesNone) {
  ::setenv("LOCI_FAKE_ARCHITECTURE", "999", 1);
  expect_refusal(squares(), {{"nvrtc", kFake}},
                 HasSubstr("NVRTC 13.0 knows no architecture as old as the device's"));
}

TEST_F(FakeNvrtc, LeavesAnEmptyResultToTheOther) {
  Call call = squares();
  call.inputs = {empty_like(LOCI_DTYPE_F32, {0})};
  call.outputs = {{LOCI_DTYPE_F32, {0}}};
  expect_refusal(call, {{"nvrtc", kFake}}, HasSubstr("there is nothing to compute"));
}

TEST(Nvrtc, TakesNoOtherTimeToCompile) {
  EXPECT_THAT(
      [] {
        open_double("devices=1", {{"compile", "later"}});
      },
      ThrowsMessage<PluginError>(
          HasSubstr("[cuda] the setting compile is 'later'; it takes now or background")));
}

}  // namespace
}  // namespace loci::testing
