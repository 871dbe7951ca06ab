// The plugin through its C tables, as a host sees it, on the double of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda/open_double.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CudaPluginTest : public ::testing::Test {
 protected:
  // `setup` is for the double.
  static DrivenPlugin open(const char* setup, std::map<std::string, std::string> options = {}) {
    return open_double(setup, std::move(options));
  }
};

// The double reads its settings once, so that each of these has a process of its own.
TEST_F(CudaPluginTest, DescribesAnEmulatedDeviceWithoutRates) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open("devices=2");
              std::uint32_t count = 0;
              plugin.host().check(plugin.devices().count(plugin.plugin(), &count));
              EXPECT_EQ(count, 2U);
              loci_device_info info{};
              info.struct_size = sizeof info;
              plugin.host().check(plugin.devices().describe(plugin.plugin(), 1, &info));
              const std::string name(info.name.data, info.name.size);
              EXPECT_THAT(name, HasSubstr("(emulated)"));
              EXPECT_EQ(info.peak_flops, 0);
              EXPECT_EQ(info.peak_bytes, 0);
            }),
            0);
}

TEST_F(CudaPluginTest, AMalformedFaultIsRefused) {
  EXPECT_THAT(
      [] {
        open("devices=1", {{"fail_copy", "often"}});
      },
      ThrowsMessage<PluginError>(
          HasSubstr("[cuda] the setting fail_copy is 'often'; it takes a count")));
}

TEST_F(CudaPluginTest, AForkedProcessSaysThatCudaDoesNotWorkInIt) {
  EXPECT_EQ(in_child([] {
              DrivenPlugin plugin = open("devices=1");
              const int status = in_child([&] {
                loci_device_info info{};
                info.struct_size = sizeof info;
                const auto describe = [&] {
                  plugin.host().check(plugin.devices().describe(plugin.plugin(), 0, &info));
                };
                EXPECT_THAT(describe, ThrowsMessage<PluginError>(
                                          AllOf(HasSubstr("this process was forked after CUDA"),
                                                HasSubstr("fork before"))));
              });
              EXPECT_EQ(status, 0);
            }),
            0);
}

// A kernel that faults leaves a sticky error in its context.
TEST_F(CudaPluginTest, AStickyErrorLosesTheDeviceAndSaysWhatToDo) {
  EXPECT_EQ(
      in_child([] {
        DrivenPlugin plugin = open("devices=1,fail=cuStreamSynchronize:1:700");
        loci_device* device = nullptr;
        const loci_device_api& api = plugin.devices();
        plugin.host().check(api.open(plugin.plugin(), 0, &device));
        const auto loses = ThrowsMessage<PluginError>(
            AllOf(HasSubstr("[cuda] cuda:0 is lost"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700"),
                  HasSubstr("start the program again")));
        EXPECT_THAT([&] { plugin.host().check(api.synchronize(device)); }, loses);
        EXPECT_THAT([&] { plugin.host().check(api.synchronize(device)); }, loses);
        void* memory = nullptr;
        EXPECT_THAT(
            [&] {
              plugin.host().check(api.mem_alloc(device, LOCI_MEMORY_DEVICE, 256, nullptr, &memory));
            },
            loses);
        api.close(device);
      }),
      0);
}

}  // namespace
}  // namespace loci::testing
