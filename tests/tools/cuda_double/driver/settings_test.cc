#include "tools/cuda_double/driver/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::cuda_double {
namespace {

// Returns the text of the refusal; empty if there is none.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_settings(text));
    return "";
  } catch (const SettingsError& error) {
    return error.what();
  }
}

TEST(SettingsTest, NothingIsTheDefault) {
  const Settings settings = parse_settings("");
  EXPECT_EQ(settings.memory, std::uint64_t{2} << 30);
  EXPECT_EQ(settings.devices, 1);
  EXPECT_TRUE(settings.have_peers);
  EXPECT_EQ(settings.seed, 0u);
  EXPECT_GE(settings.workers, 1u);
  EXPECT_TRUE(settings.checks.stream_races);
  EXPECT_FALSE(settings.checks.leaks);
}

TEST(SettingsTest, EachIsRead) {
  const Settings settings = parse_settings(
      "memory=512M,devices=2,peers=none,capability=8.6,version=12.4,seed=7,latency_us=5,workers=3,"
      "instructions="
      "1000,"
      "findings=abort,log=errors,fail=cuLaunchKernel:3:700,fail=cuMemAlloc_v2:1:2,fail_alloc=12,"
      "counters=out.txt,cupti_drop=1%");
  EXPECT_EQ(settings.counters, "out.txt");
  EXPECT_EQ(settings.memory, std::uint64_t{512} << 20);
  EXPECT_EQ(settings.devices, 2);
  EXPECT_FALSE(settings.have_peers);
  ASSERT_EQ(settings.capabilities.size(), 1u);
  EXPECT_EQ(settings.capabilities[0].major, 8);
  EXPECT_EQ(settings.capabilities[0].minor, 6);
  EXPECT_EQ(settings.version, 12040);
  EXPECT_EQ(settings.seed, 7u);
  EXPECT_EQ(settings.latency_us, 5u);
  EXPECT_EQ(settings.workers, 3u);
  EXPECT_EQ(settings.instructions, 1000u);
  EXPECT_TRUE(settings.abort_on_finding);
  EXPECT_TRUE(settings.log_errors);
  EXPECT_EQ(settings.fail_alloc, 12u);
  EXPECT_EQ(settings.cupti_drop, 1u);
  ASSERT_EQ(settings.failures.size(), 2u);
  EXPECT_EQ(settings.failures[0].function, "cuLaunchKernel");
  EXPECT_EQ(settings.failures[0].call, 3u);
  EXPECT_EQ(settings.failures[0].code, 700);
}

TEST(SettingsTest, DevicesMayBeOfSeveralCapabilities) {
  const Settings settings = parse_settings("capability=7.5+9.0");
  ASSERT_EQ(settings.capabilities.size(), 2u);
  EXPECT_EQ(settings.capabilities[0].minor, 5);
  EXPECT_EQ(settings.capabilities[1].major, 9);
  EXPECT_EQ(refusal("capability=7.5+"),
            "LOCI_CUDA_DOUBLE: 'capability=7.5+': has to be MAJOR.MINOR");
}

TEST(SettingsTest, AQuarantineIsOfAllocationsOrOfBytes) {
  EXPECT_EQ(parse_settings("").quarantine_allocations, 32u);
  EXPECT_EQ(parse_settings("").quarantine_bytes, std::uint64_t{256} << 20);
  EXPECT_EQ(parse_settings("quarantine=500").quarantine_allocations, 500u);
  EXPECT_GE(parse_settings("quarantine=500").quarantine_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(parse_settings("quarantine=0").quarantine_allocations, 0u);
  EXPECT_EQ(parse_settings("quarantine=4K").quarantine_bytes, 4096u);
  EXPECT_GE(parse_settings("quarantine=4K").quarantine_allocations, 1'000'000u);
}

TEST(SettingsTest, ChecksAreChosenByName) {
  const EnabledChecks some = parse_settings("checks=leaks+stream_races").checks;
  EXPECT_TRUE(some.leaks);
  EXPECT_TRUE(some.stream_races);
  EXPECT_FALSE(some.addresses);
  EXPECT_TRUE(parse_settings("checks=all").checks.pageable);
  EXPECT_FALSE(parse_settings("checks=none").checks.handles);
}

TEST(SettingsTest, WrongOnesAreNamed) {
  EXPECT_EQ(refusal("memory"), "LOCI_CUDA_DOUBLE: 'memory': has to be NAME=VALUE");
  EXPECT_EQ(refusal("memry=1G"), "LOCI_CUDA_DOUBLE: 'memry=1G': there is no setting 'memry'");
  EXPECT_EQ(refusal("memory=1T"), "LOCI_CUDA_DOUBLE: 'memory=1T': needs a whole number");
  EXPECT_EQ(refusal("memory=10"), "LOCI_CUDA_DOUBLE: 'memory=10': has to be 1M at least");
  EXPECT_EQ(refusal("quarantine=-1"), "LOCI_CUDA_DOUBLE: 'quarantine=-1': needs a whole number");
  EXPECT_EQ(refusal("quarantine=K"), "LOCI_CUDA_DOUBLE: 'quarantine=K': needs a whole number");
  EXPECT_EQ(refusal("quarantine=2000000"),
            "LOCI_CUDA_DOUBLE: 'quarantine=2000000': has to be 0 to 1000000");
  EXPECT_EQ(refusal("devices=0"), "LOCI_CUDA_DOUBLE: 'devices=0': has to be 1 to 16");
  EXPECT_EQ(refusal("devices=-1"), "LOCI_CUDA_DOUBLE: 'devices=-1': needs a whole number");
  EXPECT_EQ(refusal("peers=1"), "LOCI_CUDA_DOUBLE: 'peers=1': has to be none or all");
  EXPECT_EQ(refusal("seed="), "LOCI_CUDA_DOUBLE: 'seed=': needs a whole number");
  EXPECT_EQ(refusal("seed=1,seed=2"), "LOCI_CUDA_DOUBLE: 'seed=2': is set twice");
  EXPECT_EQ(refusal("seed=1,"), "LOCI_CUDA_DOUBLE: '': has to be NAME=VALUE");
  EXPECT_EQ(refusal("checks=races"), "LOCI_CUDA_DOUBLE: 'checks=races': 'races' is no check");
  EXPECT_EQ(refusal("capability=9"), "LOCI_CUDA_DOUBLE: 'capability=9': has to be MAJOR.MINOR");
  EXPECT_EQ(refusal("version=12"), "LOCI_CUDA_DOUBLE: 'version=12': has to be MAJOR.MINOR");
  EXPECT_EQ(refusal("version=14.0"), "LOCI_CUDA_DOUBLE: 'version=14.0': has to be 11 to 13");
  EXPECT_EQ(refusal("fail=malloc:1:2"),
            "LOCI_CUDA_DOUBLE: 'fail=malloc:1:2': has to be NAME:N:CODE");
  EXPECT_EQ(refusal("fail=cuInit:0:2"),
            "LOCI_CUDA_DOUBLE: 'fail=cuInit:0:2': has to be 1 to 18446744073709551615");
  EXPECT_EQ(refusal("findings=stop"),
            "LOCI_CUDA_DOUBLE: 'findings=stop': has to be report or abort");
  EXPECT_EQ(refusal("counters="), "LOCI_CUDA_DOUBLE: 'counters=': has to name a file");
  EXPECT_EQ(refusal("cupti_drop=1"),
            "LOCI_CUDA_DOUBLE: 'cupti_drop=1': needs a whole number of percent, as 1%");
  EXPECT_EQ(refusal("cupti_drop=101%"), "LOCI_CUDA_DOUBLE: 'cupti_drop=101%': has to be 0 to 100");
}

}  // namespace
}  // namespace loci::cuda_double
