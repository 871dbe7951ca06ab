#include "tools/conformance/verify/trap_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace loci::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

loci_str text(const char* value) { return {value, std::string(value).size()}; }

TEST(TrapHost, CountsWhatThePluginHolds) {
  const TrapHost host("org.example.npu");
  const loci_host_api& api = host.api();
  void* memory = api.memory_alloc(api.host, 100, 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
  loci_error* error = api.error_make(api.host, LOCI_CODE_FAILED, text("no"), nullptr);
  EXPECT_EQ(host.holdings().allocations, 1);
  EXPECT_EQ(host.holdings().bytes, 100);
  EXPECT_EQ(host.holdings().errors, 1);
  api.memory_free(api.host, memory);
  api.error_release(error);
  EXPECT_EQ(host.holdings().allocations, 0);
  EXPECT_EQ(host.holdings().bytes, 0);
  EXPECT_EQ(host.holdings().errors, 0);
}

TEST(TrapHostDeathTest, APointerOfSomebodyElseEndsTheProcess) {
  const TrapHost host("org.example.npu");
  int stranger = 0;
  EXPECT_DEATH(host.api().memory_free(host.api().host, &stranger), "did not give");
}

TEST(TrapHost, FailsTheAllocationThatItIsToldTo) {
  TrapHost host("org.example.npu");
  const loci_host_api& api = host.api();
  host.fail_allocation(2);
  void* first = api.memory_alloc(api.host, 1, 1);
  EXPECT_NE(first, nullptr);
  EXPECT_TRUE(host.failure_pending());
  EXPECT_EQ(api.memory_alloc(api.host, 1, 1), nullptr);
  EXPECT_FALSE(host.failure_pending());
  void* third = api.memory_alloc(api.host, 1, 1);
  EXPECT_NE(third, nullptr);
  api.memory_free(api.host, first);
  api.memory_free(api.host, third);
}

TEST(TrapHost, ThrowsErrorsWithTheirCauses) {
  const TrapHost host("org.example.npu");
  const loci_host_api& api = host.api();
  loci_error* cause = api.error_make(api.host, LOCI_CODE_FAILED, text("the root"), nullptr);
  loci_error* error = api.error_make(api.host, LOCI_CODE_NOT_FOUND, text("not there"), cause);
  EXPECT_THAT([&] { TrapHost::check(error); },
              ThrowsMessage<PluginError>("not there; caused by: the root"));
  EXPECT_EQ(host.holdings().errors, 0);
  EXPECT_EQ(code_name(LOCI_CODE_NOT_FOUND), "NOT_FOUND");
  EXPECT_EQ(code_name(99), "code 99");
}

TEST(TrapHost, IsConfiguredByOptionsAndTheEnvironment) {
  ::setenv("LOCI_NPU_SPEED", "slow", 1);
  ::setenv("LOCI_NPU_DEPTH", "3", 1);
  ::setenv("LOCI_NPU", "list", 1);
  const TrapHost host("org.example.npu", {{"speed", "fast"}});
  const loci_host_api& api = host.api();
  const auto value = [&](const char* key) {
    const loci_str found = api.config_get(api.host, text(key));
    return std::string(found.data == nullptr ? "" : found.data, found.size);
  };
  EXPECT_EQ(value("speed"), "fast");
  EXPECT_EQ(value("depth"), "3");
  EXPECT_EQ(value(""), "list");
  EXPECT_EQ(value("other"), "");
  ASSERT_EQ(host.options().size(), 2U);
  EXPECT_EQ(std::string(host.options()[0].key.data, host.options()[0].key.size), "depth");
}

TEST(TrapHost, LoopsCoverTheirRange) {
  const TrapHost host("org.example.npu");
  std::atomic<std::int64_t> sum{0};
  const auto body = [](void* context, std::int64_t begin, std::int64_t end, std::uint32_t) {
    for (std::int64_t i = begin; i < end; ++i)
      *static_cast<std::atomic<std::int64_t>*>(context) += i;
  };
  for (const std::int64_t grain : {1, 7, 100}) {
    sum = 0;
    host.api().parallel_for(host.api().host, 0, 10, grain, body, &sum);
    EXPECT_EQ(sum, 45);
  }
  host.api().parallel_for(host.api().host, 3, 3, 1, body, nullptr);
}

}  // namespace
}  // namespace loci::verify
