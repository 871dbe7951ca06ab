#include "framework/profiler/collector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "framework/profiler/label_table.h"
#include "framework/profiler/scope.h"

namespace loci::profiler {
namespace {

using std::chrono::milliseconds;

LabelId label(const char* name) {
  return LabelTable::instance().intern({.kind = LOCI_SPAN_USER, .name = name});
}

std::vector<LabelId> labels_of(const Harvest& harvest) {
  std::vector<LabelId> labels;
  for (const ThreadRecords& thread : harvest.threads) {
    for (const Record& record : thread.records) labels.push_back(record.label);
  }
  return labels;
}

class CollectorTest : public testing::Test {
 protected:
  void begin(Level level = Level::kOp) {
    CollectorOptions options;
    options.level = level;
    collector_.begin(options);
  }
  Collector& collector_ = Collector::instance();
};

TEST_F(CollectorTest, RecordsNothingUnlessItIsAsked) {
  { const Scope scope(label("before")); }
  begin();
  const Harvest harvest = collector_.end();
  { const Scope scope(label("after")); }
  EXPECT_TRUE(harvest.threads.empty());
  EXPECT_GE(harvest.clock.size(), 2U);
  EXPECT_LE(harvest.begin_ticks, harvest.end_ticks);
}

TEST_F(CollectorTest, RecordsScopesAtTheirLevel) {
  const auto run = [] {
    const Scope op(label("op"));
    const Scope detail(label("detail"), 0, Level::kDetail);
  };
  begin(Level::kOp);
  run();
  EXPECT_EQ(labels_of(collector_.end()), std::vector<LabelId>{label("op")});
  begin(Level::kDetail);
  run();
  EXPECT_EQ(labels_of(collector_.end()), (std::vector<LabelId>{label("detail"), label("op")}));
}

TEST_F(CollectorTest, AScopeBelongsToThePeriodInWhichItBegan) {
  begin();
  Scope outlasts(label("outlasts"));
  const Harvest first = collector_.end();
  begin();
  outlasts.end();
  { const Scope scope(label("second")); }
  const Harvest second = collector_.end();

  ASSERT_EQ(labels_of(first), std::vector<LabelId>{label("outlasts")});
  EXPECT_EQ(first.threads[0].records[0].flags, LOCI_SPAN_TRUNCATED);
  EXPECT_EQ(first.threads[0].records[0].end, first.end_ticks);
  EXPECT_EQ(labels_of(second), std::vector<LabelId>{label("second")});
}

TEST_F(CollectorTest, MarksScopesThatAnErrorLeaves) {
  begin();
  try {
    const Scope scope(label("fails"));
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
    const Scope scope(label("handler"));
  }
  const Harvest harvest = collector_.end();
  ASSERT_EQ(harvest.threads.size(), 1U);
  EXPECT_EQ(harvest.threads[0].records[0].flags, LOCI_SPAN_FAILED);
  EXPECT_EQ(harvest.threads[0].records[1].flags, 0U);
}

TEST_F(CollectorTest, KeepsWhatEndedThreadsRecorded) {
  begin();
  std::thread([] { const Scope scope(label("thread")); }).join();
  EXPECT_EQ(labels_of(collector_.end()), std::vector<LabelId>{label("thread")});
  begin();
  EXPECT_TRUE(collector_.end().threads.empty());
}

TEST_F(CollectorTest, RecordsWhileThreadLocalObjectsEnd) {
  struct Late {
    ~Late() {
      if (is_used) const Scope scope(label("late"));
    }
    bool is_used = false;
  };
  begin();
  std::thread([] {
    thread_local Late late;  // made before the log, so that it ends after it
    late.is_used = true;
    const Scope scope(label("thread"));
  }).join();
  EXPECT_EQ(labels_of(collector_.end()), (std::vector<LabelId>{label("thread"), label("late")}));
}

TEST_F(CollectorTest, DropsAndCountsBeyondItsMemory) {
  CollectorOptions options;
  options.memory_bytes = kChunkBytes;
  collector_.begin(options);
  // A thread of its own, as others may hold a chunk from earlier periods.
  std::thread([] {
    for (std::uint32_t i = 0; i < 3 * Chunk::kRecords; ++i) {
      const Scope scope(label("many"));
    }
  }).join();
  const Harvest harvest = collector_.end();
  EXPECT_GE(harvest.dropped.scopes, 2U * Chunk::kRecords);
  EXPECT_EQ(harvest.dropped.scopes + labels_of(harvest).size(), 3U * Chunk::kRecords);
}

TEST_F(CollectorTest, KeepsTheLatestWhereItIsAskedTo) {
  CollectorOptions options;
  options.keep_last = milliseconds(1);
  collector_.begin(options);
  std::thread writer([] {
    const auto end = std::chrono::steady_clock::now() + milliseconds(1300);
    while (std::chrono::steady_clock::now() < end) {
      for (std::uint32_t i = 0; i < Chunk::kRecords; ++i) {
        const Scope scope(label("ring"));
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  writer.join();
  const Harvest harvest = collector_.end();
  ASSERT_EQ(harvest.threads.size(), 1U);
  EXPECT_EQ(harvest.dropped.scopes, 0U);
  // The keeper let go of what was older than the window when it looked, after a second.
  const std::uint64_t first = harvest.threads[0].records.front().begin;
  EXPECT_GT(first - harvest.begin_ticks, (harvest.end_ticks - harvest.begin_ticks) / 2);
}

TEST_F(CollectorTest, RecordsAllocationsInDetail) {
  static constexpr char kName[] = "weights";
  int memory = 0;
  begin(Level::kOp);
  record_memory(kName, "cpu", &memory, 4, /*is_free=*/false);
  EXPECT_TRUE(collector_.end().threads.empty());

  begin(Level::kDetail);
  record_memory(kName, "cpu", &memory, 4, /*is_free=*/false);
  record_memory(kName, "cpu", &memory, 4, /*is_free=*/true);
  const Harvest harvest = collector_.end();
  ASSERT_EQ(harvest.threads.size(), 1U);
  const std::vector<Record>& records = harvest.threads[0].records;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].flags, kAllocationRecord);
  EXPECT_EQ(records[0].end, reinterpret_cast<std::uintptr_t>(&memory));
  EXPECT_EQ(records[0].correlation, 4U);
  EXPECT_EQ(records[1].flags, kReleaseRecord);
  EXPECT_EQ(LabelTable::instance().at(records[0].label).name, kName);
}

class Ranges : public LiveRanges {
 public:
  void begin(LabelId label) noexcept override {
    text.append("(").append(LabelTable::instance().at(label).name);
  }
  void end() noexcept override { text += ")"; }
  std::string text;
};

TEST_F(CollectorTest, TellsLiveRanges) {
  Ranges ranges;
  CollectorOptions options;
  options.live = &ranges;
  collector_.begin(options);
  {
    const Scope outer(label("a"));
    const Scope inner(label("b"));
  }
  collector_.end();
  { const Scope scope(label("c")); }
  EXPECT_EQ(ranges.text, "(a(b))");
}

TEST_F(CollectorTest, RecordsManyThreadsWhileItBeginsAndEnds) {
  std::atomic<bool> stops{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&stops] {
      while (!stops) {
        const Scope outer(label("outer"));
        const Scope inner(label("inner"));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    begin();
    std::this_thread::sleep_for(milliseconds(2));
    const Harvest harvest = collector_.end();
    for (const ThreadRecords& thread : harvest.threads) {
      for (const Record& record : thread.records) {
        EXPECT_TRUE(record.label == label("outer") || record.label == label("inner"));
        EXPECT_LE(record.begin, record.end);
      }
    }
  }
  stops = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace loci::profiler
