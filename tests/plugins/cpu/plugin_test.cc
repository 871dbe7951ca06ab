#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "tests/plugins/cpu/cpu_plugin.h"
#include "tests/support/paths.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string text(loci_str value) { return {value.data, value.size}; }

TEST(CpuPlugin, DescribesOneInlineDeviceInHostMemory) {
  auto& plugin = cpu_plugin();
  EXPECT_EQ(text(plugin.devices().device_type), "cpu");
  EXPECT_EQ(text(plugin.kernels().device_type), "cpu");
  std::uint32_t count = 0;
  plugin.host().check(plugin.devices().count(plugin.plugin(), &count));
  EXPECT_EQ(count, 1U);
  loci_device_info info{};
  info.struct_size = sizeof info;
  plugin.host().check(plugin.devices().describe(plugin.plugin(), 0, &info));
  EXPECT_EQ(info.flags, static_cast<std::uint32_t>(LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY));
  EXPECT_THAT(text(info.name), Not(IsEmpty()));
  EXPECT_THAT(text(info.arch), Not(IsEmpty()));
  // With the instruction set, so that what was measured with another is told apart.
  EXPECT_THAT(std::string(text(info.driver)),
              ::testing::MatchesRegex("oneDNN [0-9]+\\.[0-9]+\\.[0-9]+, (sse|avx|instr).*"));
  EXPECT_GT(info.total_memory, 1U << 20);
  EXPECT_GE(info.compute_units, 1U);
}

TEST(CpuPlugin, RefusesASecondDevice) {
  auto& plugin = cpu_plugin();
  loci_device* device = nullptr;
  try {
    plugin.host().check(plugin.devices().open(plugin.plugin(), 1, &device));
    FAIL() << "there is no second device";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_NOT_FOUND);
    EXPECT_THAT(error.what(), HasSubstr("cpu:0"));
  }
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

TEST(CpuPlugin, LeavesOutOneDnnWhenToldSo) {
  const Call product{
      "matmul",
      {empty_like(LOCI_DTYPE_F32, {128, 128}), empty_like(LOCI_DTYPE_F32, {128, 128})},
      {{LOCI_DTYPE_F32, {128, 128}}},
      {{"transpose_x", false}, {"transpose_y", false}}};
  EXPECT_EQ(cpu_plugin().implementation_of(product), "onednn");
  DrivenPlugin portable = make_cpu_plugin({{"onednn", "0"}});
  EXPECT_EQ(portable.implementation_of(product), "portable");
}

// The library is one of the process, whose memory of compiled kernels has no bound in bytes.
TEST(CpuPlugin, KeepsFewOfOneDnnsCompiledKernels) {
  cpu_plugin();
  EXPECT_EQ(dnnl::get_primitive_cache_capacity(), 64);
  dnnl::set_primitive_cache_capacity(500);
  make_cpu_plugin({{"onednn", "1"}});
  EXPECT_EQ(dnnl::get_primitive_cache_capacity(), 500) << "somebody had said how many";
  dnnl::set_primitive_cache_capacity(64);
}

TEST(CpuPlugin, RefusesAnOptionThatIsNeitherOnNorOff) {
  try {
    const DrivenPlugin plugin = make_cpu_plugin({{"onednn", "maybe"}});
    FAIL() << "the option is wrong";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("maybe"));
  }
}

// Kernels find what they find without: where arguments lie modulo a cache line, say.
TEST(CpuPlugin, ComputesTheSameBetweenCanaries) {
  DrivenPlugin canaried = make_cpu_plugin({{"canaries", "1"}});
  const Value x = random_value(LOCI_DTYPE_F32, {2, 16, 20, 20}, -1, 1);
  const Value filter = random_value(LOCI_DTYPE_F32, {32, 16, 3, 3}, -1, 1);
  Call convolution{"conv2d",
                   {x, filter, absent()},
                   {{LOCI_DTYPE_F32, {2, 32, 18, 18}}},
                   {{"strides", std::vector<std::int64_t>{1, 1}},
                    {"paddings", std::vector<std::int64_t>{0, 0}},
                    {"dilations", std::vector<std::int64_t>{1, 1}},
                    {"groups", std::int64_t{1}},
                    {"padding_algorithm", std::string("EXPLICIT")}}};
  for (const char* implementation : {"onednn", "portable"}) {
    convolution.implementation = implementation;
    EXPECT_EQ(canaried.run(convolution).at(0).bytes, cpu_plugin().run(convolution).at(0).bytes);
  }
  convolution.constants = {1};
  convolution.implementation = "onednn";
  EXPECT_EQ(canaried.run(convolution).at(0).bytes, cpu_plugin().run(convolution).at(0).bytes);
  const Call in_place{"elementwise_add", {x, x}, {{LOCI_DTYPE_F32, {2, 16, 20, 20}}}, {}, {{0, 0}}};
  EXPECT_EQ(canaried.run(in_place).at(0).bytes, cpu_plugin().run(in_place).at(0).bytes);
}

TEST(CpuPlugin, RefusesAnInstructionSetThatItDoesNotKnow) {
  try {
    const DrivenPlugin plugin = make_cpu_plugin({{"isa", "mmx"}});
    FAIL() << "the option is wrong";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("[cpu] the option isa is 'mmx'; give "));
  }
}

TEST(CpuPlugin, RefusesToChangeTheInstructionSetOfAProcess) {
  cpu_plugin();
  const std::string other = limited_isa() == "avx2" ? "avx512" : "avx2";
  try {
    const DrivenPlugin plugin = make_cpu_plugin({{"isa", other}});
    FAIL() << "kernels were prepared for another";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("isa is '" + other + "', but was "));
  }
}

// The feature bits tell what the processor lacks: that is not taken, whatever the limit is.
TEST(CpuPlugin, TakesTheBestInstructionSetUpToTheLimit) {
  auto& plugin = cpu_plugin();
  loci_device_info info{};
  info.struct_size = sizeof info;
  plugin.host().check(plugin.devices().describe(plugin.plugin(), 0, &info));
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && limited_isa() != "x86-64";
  const bool has_avx512 =
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  EXPECT_EQ(text(info.arch), !has_avx2                               ? "x86-64"
                             : has_avx512 && limited_isa() != "avx2" ? "avx512"
                                                                     : "avx2");
  if (!limited_isa().empty()) {
    const std::string onednn = text(info.driver);
    const bool is_limited = limited_isa() == "x86-64" ? onednn.find("avx") == std::string::npos
                                                      : onednn.find("_bf16") == std::string::npos;
    EXPECT_TRUE(is_limited) << onednn;
  }
#endif
}

TEST(CpuPlugin, KeepsSmallTensorsOutOfOneDnnAndSaysWhy) {
  const Call product{"matmul",
                     {empty_like(LOCI_DTYPE_F32, {4, 4}), empty_like(LOCI_DTYPE_F32, {4, 4})},
                     {{LOCI_DTYPE_F32, {4, 4}}},
                     {{"transpose_x", false}, {"transpose_y", false}}};
  EXPECT_EQ(cpu_plugin().implementation_of(product), "portable");
  EXPECT_THAT(cpu_plugin().refusal(product, "onednn"), HasSubstr("portable kernel is faster"));
}

TEST(CpuPlugin, KeepsSmallTensorsOutOfTheThreadTeam) {
  auto& plugin = cpu_plugin();
  const int before = plugin.host().parallel_loops();
  const Value x = random_value(LOCI_DTYPE_F32, {1000}, -1, 1);
  plugin.run({"elementwise_add", {x, x}, {{LOCI_DTYPE_F32, {1000}}}});
  EXPECT_EQ(plugin.host().parallel_loops(), before);
}

}  // namespace
}  // namespace loci::testing
