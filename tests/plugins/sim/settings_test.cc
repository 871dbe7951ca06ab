#include "plugins/sim/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>
#include <string>

namespace loci::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(std::string_view list, const sdk::Options& options = {}) {
  try {
    (void)parse_settings(list, options);
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), LOCI_CODE_INVALID_ARGUMENT);
    return error.what();
  }
  return "";
}

TEST(SettingsTest, NothingGivenIsAFastMachineWithoutFaults) {
  const Settings settings = parse_settings("", {});
  EXPECT_EQ(settings.devices, 2U);
  EXPECT_EQ(settings.memory, std::uint64_t{4} << 30);
  EXPECT_TRUE(settings.poison);
  EXPECT_FALSE(settings.race);
  EXPECT_EQ(settings.h2d_gbps, 0);
  EXPECT_EQ(settings.fail_alloc, 0);
}

TEST(SettingsTest, ReadsEveryKindOfValue) {
  const Settings settings = parse_settings(
      "devices=3,memory=64M,red_zone=512,poison=0,race=1,seed=18446744073709551615,delay_us=2.5,"
      "copy_latency_us=10,h2d_gbps=12.5,d2h_gbps=6,peer_gbps=50,local_gbps=900,launch_us=4,"
      "gflops=1e3,fail_alloc=1,fail_copy=2,fail_launch=3,fail_event=4,fail_task=5,lose_device=6,"
      "without=softmax+gelu",
      {});
  EXPECT_EQ(settings.devices, 3U);
  EXPECT_EQ(settings.memory, std::uint64_t{64} << 20);
  EXPECT_EQ(settings.red_zone, 512U);
  EXPECT_FALSE(settings.poison);
  EXPECT_TRUE(settings.race);
  EXPECT_EQ(settings.seed, UINT64_MAX);
  EXPECT_EQ(settings.delay_us, 2.5);
  EXPECT_EQ(settings.copy_latency_us, 10);
  EXPECT_EQ(settings.h2d_gbps, 12.5);
  EXPECT_EQ(settings.d2h_gbps, 6);
  EXPECT_EQ(settings.peer_gbps, 50);
  EXPECT_EQ(settings.local_gbps, 900);
  EXPECT_EQ(settings.launch_us, 4);
  EXPECT_EQ(settings.gflops, 1000);
  EXPECT_EQ(settings.fail_alloc, 1);
  EXPECT_EQ(settings.fail_copy, 2);
  EXPECT_EQ(settings.fail_launch, 3);
  EXPECT_EQ(settings.fail_event, 4);
  EXPECT_EQ(settings.fail_task, 5);
  EXPECT_EQ(settings.lose_device, 6);
  EXPECT_EQ(settings.without, "softmax+gelu");
}

TEST(SettingsTest, BytesTakeASuffix) {
  EXPECT_EQ(parse_settings("memory=65536", {}).memory, 65536U);
  EXPECT_EQ(parse_settings("memory=64K", {}).memory, 65536U);
  EXPECT_EQ(parse_settings("memory=2G", {}).memory, std::uint64_t{2} << 30);
  EXPECT_EQ(parse_settings("memory=1T", {}).memory, std::uint64_t{1} << 40);
}

TEST(SettingsTest, AnOptionGoesBeforeTheList) {
  const Settings settings = parse_settings("devices=3,seed=1", {{"devices", "5"}});
  EXPECT_EQ(settings.devices, 5U);
  EXPECT_EQ(settings.seed, 1U);
}

TEST(SettingsTest, OptionsOfThePluginSimGraphAreLeftAlone) {
  EXPECT_EQ(refusal("", {{"graph_anything", "x"}}), "");
}

TEST(SettingsTest, AMalformedValueIsNamedWithWhatIsAllowed) {
  EXPECT_EQ(refusal("race=yes"), "[sim] LOCI_SIM: race is 'yes'; give 0 or 1");
  EXPECT_EQ(refusal("devices=0"), "[sim] LOCI_SIM: devices is '0'; give an integer from 1 to 64");
  for (const char* list : {"devices=65",    "devices=",
                           "devices=two",   "devices=1x",
                           "devices=-1",    "memory=63K",
                           "memory=2T",     "memory=G",
                           "memory=",       "memory=99999999999999999999",
                           "memory=1.5G",   "memory=18014398509481985K",
                           "red_zone=100",  "red_zone=65792",
                           "seed=-1",       "poison=2",
                           "delay_us=-1",   "delay_us=nan",
                           "delay_us=inf",  "delay_us=2e9",
                           "gflops=fast",   "fail_copy=-1",
                           "fail_copy=1.5", "lose_device=9223372036854775808"}) {
    EXPECT_THAT(refusal(list), AllOf(HasSubstr("LOCI_SIM: "), HasSubstr("; give "))) << list;
  }
}

TEST(SettingsTest, AnUnknownKeyIsNamedWithThoseThatThereAre) {
  EXPECT_THAT(refusal("speed=3"), AllOf(HasSubstr("'speed' (given '3')"),
                                        HasSubstr("devices, memory"), HasSubstr("lose_device")));
  EXPECT_THAT(refusal("", {{"colour", "red"}}), HasSubstr("no setting 'colour'"));
}

TEST(SettingsTest, AListHasItsForm) {
  EXPECT_THAT(refusal("race"), HasSubstr("'race' has no value; write key=value,key=value"));
  EXPECT_THAT(refusal("race=1,,seed=1"), HasSubstr("'' has no value"));
  EXPECT_THAT(refusal("seed=1,seed=2"), HasSubstr("seed is given twice, the second time as '2'"));
}

}  // namespace
}  // namespace loci::sim
