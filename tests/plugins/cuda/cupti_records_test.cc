// CUPTI's records as they come when some are lost.
#include "cupti_records.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "correlation_scope.h"
#include "graph_launches.h"

namespace loci::cuda {
namespace {

// The records and names that the host got.
struct Got {
  std::vector<loci_device_record> records;
  std::vector<std::string> names;

  sdk::ProfileSink sink() {
    loci_profile_sink sink{};
    sink.struct_size = sizeof sink;
    sink.context = this;
    sink.device_records = [](void* context, const loci_device_record* records,
                             std::uint64_t count) {
      auto& got = *static_cast<Got*>(context);
      for (std::uint64_t i = 0; i < count; ++i) {
        got.records.push_back(records[i]);
        got.names.emplace_back(records[i].name.data, records[i].name.size);
      }
    };
    return sdk::ProfileSink(sink);
  }
};

class CuptiRecordsTest : public ::testing::Test {
 protected:
  CuptiRecordsTest()
      : driver_("/absent"),
        cupti_("0", driver_, true),
        records_(cupti_, {{0, {}}, {2, {}}}, false) {
    static CuptiFunctions functions;
    functions.cuptiActivityPushExternalCorrelationId = [](CUpti_ExternalCorrelationKind,
                                                          std::uint64_t id) {
      pushed = id;
      return CUPTI_SUCCESS;
    };
    functions.cuptiActivityPopExternalCorrelationId = [](CUpti_ExternalCorrelationKind,
                                                         std::uint64_t*) { return CUPTI_SUCCESS; };
    set_correlating(&functions);
  }
  ~CuptiRecordsTest() override {
    set_correlating(nullptr);
    GraphLaunches::instance().forget_all();
  }

  void add_kernel(std::uint32_t call, const char* name = "kernel", std::uint64_t node = 0,
                  std::uint32_t device = 0) {
    CUpti_ActivityKernel10 kernel{};
    kernel.deviceId = device;
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = ++time_;
    kernel.end = ++time_;
    kernel.correlationId = call;
    kernel.graphNodeId = node;
    kernel.name = name;
    records_.add(reinterpret_cast<const CUpti_Activity&>(kernel));
  }
  void add_id(std::uint32_t call, std::uint64_t id) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.correlationId = call;
    external.externalId = id;
    records_.add(reinterpret_cast<const CUpti_Activity&>(external));
  }
  void add_launch(std::uint32_t call,
                  const std::shared_ptr<const std::vector<std::uint64_t>>& items,
                  bool has_bodies = false) {
    const auto span = GraphLaunches::instance().begin({5, call, 100, items, nullptr, has_bodies});
    add_id(call, pushed);
  }
  void hand_over(bool all = false) { records_.hand_over(got_.sink(), clock_, all); }

  static inline std::uint64_t pushed = 0;
  Driver driver_;
  CuptiLibrary cupti_;
  CuptiRecords records_;
  ClockFit clock_;
  Got got_;
  std::uint64_t time_ = 0;
};

TEST_F(CuptiRecordsTest, WorkWaitsForItsId) {
  add_kernel(1);
  hand_over();
  EXPECT_TRUE(got_.records.empty());
  add_id(1, 42);
  hand_over(/*all=*/true);
  ASSERT_EQ(got_.records.size(), 1U);
  EXPECT_EQ(got_.records[0].correlation, 42U);
}

// The driver counts devices too that the plugin leaves out.
TEST_F(CuptiRecordsTest, DevicesAreThoseOfThePlugin) {
  for (const std::uint32_t ordinal : {0U, 1U, 2U}) add_kernel(ordinal, "kernel", 0, ordinal);
  hand_over(/*all=*/true);
  ASSERT_EQ(got_.records.size(), 2U);
  EXPECT_EQ(got_.records[0].device, 0U);
  EXPECT_EQ(got_.records[1].device, 1U);
}

TEST_F(CuptiRecordsTest, WorkWhoseIdIsLostWaitsNoLongerThanMemoryIsForIt) {
  constexpr std::size_t kBuffer = 1024;
  std::uint32_t call = 0;
  for (std::size_t i = 0; i < 4 * CuptiRecords::kMostWaiting / kBuffer; ++i) {
    for (std::size_t k = 0; k < kBuffer; ++k) add_kernel(++call);
    hand_over();
    ASSERT_LE(call - got_.records.size(), CuptiRecords::kMostWaiting + kBuffer);
  }
  for (const auto& record : got_.records) EXPECT_EQ(record.correlation, 0U);
  EXPECT_EQ(got_.records.front().begin_ns, 1U);  // the oldest first
  add_id(call, 7);
  hand_over(/*all=*/true);
  EXPECT_EQ(got_.records.size(), call);
  EXPECT_EQ(got_.records.back().correlation, 7U);
}

// Each launch misses a node.
TEST_F(CuptiRecordsTest, ReplaysThatAreNotWholeWaitNoLongerThanMemoryIsForThem) {
  constexpr std::uint32_t kNodes = 100;
  const auto items = std::make_shared<const std::vector<std::uint64_t>>(kNodes, 0);
  constexpr std::uint32_t kLaunches = 3 * CuptiRecords::kMostWaiting / kNodes;
  std::size_t added = 0;
  for (std::uint32_t launch = 1; launch <= kLaunches; ++launch) {
    add_launch(launch, items);
    for (std::uint32_t node = 1; node < kNodes; ++node, ++added) add_kernel(launch, "kernel", node);
    hand_over();
    ASSERT_LE(added - got_.records.size(), CuptiRecords::kMostWaiting);
  }
  ASSERT_FALSE(got_.records.empty());
  EXPECT_EQ(got_.records[0].correlation, 0U);
  EXPECT_EQ(got_.records[0].graph, 5U);
  EXPECT_EQ(got_.records[0].replay, 1U);
}

// Buffers come when they are full, so that as many records as items may be others than theirs.
TEST_F(CuptiRecordsTest, WhatLoopsDoIsTheirGraphsAndNoOperators) {
  const auto items =
      std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{0, 1});
  add_launch(1, items, /*has_bodies=*/true);
  add_kernel(1, "kernel", 1);
  add_kernel(1, "of a body", 2);
  hand_over();
  EXPECT_TRUE(got_.records.empty());
  add_kernel(1, "kernel", 3);
  hand_over(/*all=*/true);
  ASSERT_EQ(got_.records.size(), 3U);
  for (const auto& record : got_.records) {
    EXPECT_EQ(record.correlation, 0U);
    EXPECT_EQ(record.graph, 5U);
  }
  EXPECT_TRUE(GraphLaunches::instance().take_had_bodies());
  EXPECT_FALSE(GraphLaunches::instance().take_had_bodies());
}

// No loop has a round here, and no branch anything to do.
TEST_F(CuptiRecordsTest, WhatIsBesideLoopsIsItsOperators) {
  const auto items =
      std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{3, 4});
  add_launch(1, items, /*has_bodies=*/true);
  add_kernel(1, "kernel", 1);
  add_kernel(1, "kernel", 2);
  hand_over(/*all=*/true);
  ASSERT_EQ(got_.records.size(), 2U);
  EXPECT_EQ(got_.records[0].correlation, 103U);
  EXPECT_EQ(got_.records[1].correlation, 104U);
  EXPECT_TRUE(GraphLaunches::instance().take_had_bodies());
}

TEST_F(CuptiRecordsTest, NamesOfReplaysLastUntilTheReplayIsWhole) {
  const std::string first(100, 'a');  // no longer there when it is read, if it is not kept
  const auto items = std::make_shared<const std::vector<std::uint64_t>>(2, 0);
  add_launch(1, items);
  add_kernel(1, first.c_str(), 1);
  hand_over();
  const std::string others(100, 'b');
  add_id(2, 9);
  add_kernel(2, others.c_str());
  hand_over();
  add_kernel(1, others.c_str(), 2);
  hand_over();
  EXPECT_EQ(got_.names, (std::vector<std::string>{others, first, others}));
}

TEST_F(CuptiRecordsTest, OverheadIsSummedByWhatItWasFor) {
  const auto add = [this](CUpti_ActivityOverheadKind kind, std::uint64_t ns) {
    CUpti_ActivityOverhead2 cost{};
    cost.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    cost.overheadKind = kind;
    cost.start = 1000;
    cost.end = 1000 + ns;
    records_.add(reinterpret_cast<const CUpti_Activity&>(cost));
  };
  EXPECT_EQ(records_.overhead().note(), "");
  add(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, 1'000'000);
  add(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, 200'000);
  add(CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, 50'000);
  add(static_cast<CUpti_ActivityOverheadKind>(99 << 16), 1'000);
  EXPECT_EQ(records_.overhead().note(),
            "CUPTI tells of 1.25 ms of overhead: 1.2 ms for buffer flushes, 0.05 ms for "
            "instrumentation, 0.001 ms for other things");
}

}  // namespace
}  // namespace loci::cuda
