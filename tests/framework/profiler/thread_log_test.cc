#include "framework/profiler/thread_log.h"

#include <gtest/gtest.h>

#include <thread>

#include "framework/profiler/clock.h"

namespace loci::profiler {
namespace {

class ThreadLogTest : public testing::Test {
 protected:
  ThreadLogTest() { pool_.set_limit(2); }

  void scope(std::uint32_t epoch, LabelId label) {
    log_.open(epoch, label, 0);
    log_.close(ticks(), 0, /*keep=*/true);
  }

  ChunkPool pool_;
  std::atomic<bool> recycles_{false};
  ThreadLog log_{pool_, recycles_};
};

TEST_F(ThreadLogTest, KeepsWhatAScopeIs) {
  log_.open(1, 5, 77);
  log_.open(1, 6, 0);
  log_.close(UINT64_MAX, LOCI_SPAN_FAILED, /*keep=*/true);
  log_.close(UINT64_MAX, 0, /*keep=*/true);

  const std::vector<Record> records = log_.take(1, 0);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].label, 6U);
  EXPECT_EQ(records[0].depth, 1U);
  EXPECT_EQ(records[0].flags, LOCI_SPAN_FAILED);
  EXPECT_EQ(records[1].label, 5U);
  EXPECT_EQ(records[1].depth, 0U);
  EXPECT_EQ(records[1].correlation, 77U);
  EXPECT_LE(records[1].begin, records[0].begin);
}

TEST_F(ThreadLogTest, DropsScopesThatAreNotKept) {
  log_.open(1, 5, 0);
  log_.close(ticks(), 0, /*keep=*/false);
  EXPECT_TRUE(log_.take(1, 0).empty());
  EXPECT_EQ(log_.dropped(1).scopes, 0U);
}

TEST_F(ThreadLogTest, EndsOpenScopesAsTruncated) {
  log_.open(1, 5, 9);
  const std::uint64_t now = ticks();
  const std::vector<Record> records = log_.take(1, now);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].end, now);
  EXPECT_EQ(records[0].correlation, 9U);
  EXPECT_EQ(records[0].flags, LOCI_SPAN_TRUNCATED);
  log_.close(ticks(), 0, /*keep=*/false);
}

TEST_F(ThreadLogTest, KeepsEpochsApart) {
  for (std::uint32_t i = 0; i < Chunk::kRecords + 1; ++i) scope(1, 1);
  scope(2, 2);
  const std::vector<Record> records = log_.take(2, 0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].label, 2U);
  EXPECT_TRUE(log_.take(1, 0).empty());
}

TEST_F(ThreadLogTest, CountsWhatFindsNoRoom) {
  for (std::uint32_t i = 0; i < 2 * Chunk::kRecords + 3; ++i) scope(1, 1);
  EXPECT_EQ(log_.take(1, 0).size(), 2U * Chunk::kRecords);
  EXPECT_EQ(log_.dropped(1).scopes, 3U);
  EXPECT_EQ(log_.dropped(2).scopes, 0U);
  scope(2, 1);
  EXPECT_EQ(log_.dropped(2).scopes, 0U);
}

TEST_F(ThreadLogTest, RecyclesItsOldestChunk) {
  recycles_ = true;
  for (std::uint32_t i = 0; i < 3 * Chunk::kRecords; ++i) scope(1, i);
  const std::vector<Record> records = log_.take(1, 0);
  EXPECT_EQ(records.size(), 2U * Chunk::kRecords);
  EXPECT_EQ(records.front().label, Chunk::kRecords);
  EXPECT_EQ(log_.dropped(1).scopes, 0U);
}

TEST_F(ThreadLogTest, ForgetsOldChunks) {
  for (std::uint32_t i = 0; i < Chunk::kRecords + 1; ++i) scope(1, i);
  log_.forget_before(ticks());
  const std::vector<Record> records = log_.take(1, 0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].label, Chunk::kRecords);
}

TEST_F(ThreadLogTest, CountsScopesThatAreTooDeep) {
  for (std::uint32_t i = 0; i < kMostDepth + 1; ++i) log_.open(1, 1, 0);
  for (std::uint32_t i = 0; i < kMostDepth + 1; ++i) log_.close(ticks(), 0, /*keep=*/true);
  EXPECT_EQ(log_.take(1, 0).size(), kMostDepth);
  EXPECT_EQ(log_.dropped(1).scopes, 1U);
}

TEST_F(ThreadLogTest, CanBeTakenWhileItsThreadGoesOn) {
  std::atomic<bool> ends{false};
  ChunkPool pool;
  pool.set_limit(4);
  recycles_ = true;
  std::atomic<ThreadLog*> log{nullptr};
  std::thread writer([&] {
    ThreadLog own(pool, recycles_);
    log = &own;
    while (!ends) {
      own.open(1, 3, 0);
      own.close(ticks(), 0, /*keep=*/true);
    }
    log = nullptr;
    while (ends) std::this_thread::yield();
  });
  while (log == nullptr) std::this_thread::yield();
  std::size_t taken = 0;
  // The writer may not have run for as long as a busy machine likes.
  for (int i = 0; i < 100 || (taken == 0 && i < 10'000'000); ++i) {
    for (const Record& record : log.load()->take(1, ticks())) {
      EXPECT_EQ(record.label, 3U);
      EXPECT_LE(record.begin, record.end);
      ++taken;
    }
  }
  ends = true;
  while (log != nullptr) std::this_thread::yield();
  ends = false;
  writer.join();
  EXPECT_GT(taken, 0U);
}

}  // namespace
}  // namespace loci::profiler
