#include "framework/transfer/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/log.h"

namespace loci::transfer {
namespace {

using ::testing::HasSubstr;

Row row_of(std::uint64_t bytes) {
  Row row;
  row.labels = {.variable = "ids",
                .producer = "feed",
                .consumer = "embedding",
                .reason = Reason::kPrepareData,
                .dtype = kInt64};
  row.to = Place("sim:1");
  row.bytes = bytes;
  return row;
}

TEST(LedgerTest, ReasonsHaveNames) {
  EXPECT_EQ(reason_name(Reason::kFeed), "feed");
  EXPECT_EQ(reason_name(Reason::kFetch), "fetch");
  EXPECT_EQ(reason_name(Reason::kPrepareData), "prepare_data");
  EXPECT_EQ(reason_name(Reason::kHostRead), "host_read");
  EXPECT_EQ(reason_name(Reason::kExplicit), "explicit");
  EXPECT_EQ(reason_name(Reason::kLoad), "load");
}

TEST(LedgerTest, KeepsTheLatestRowsInOrder) {
  clear_rows();
  const Totals before = totals();
  constexpr std::uint64_t kRows = 65536 + 10;
  for (std::uint64_t i = 0; i < kRows; ++i) record(row_of(i));
  const std::vector<Row> kept = rows();
  ASSERT_EQ(kept.size(), 65536U);
  EXPECT_EQ(kept.front().bytes, 10U);
  EXPECT_EQ(kept.back().bytes, kRows - 1);
  EXPECT_EQ(totals().transfers - before.transfers, kRows);
  EXPECT_EQ(totals().bytes - before.bytes, kRows * (kRows - 1) / 2);
  clear_rows();
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(totals().transfers - before.transfers, kRows);
}

TEST(LedgerTest, LocalCopiesAreCountedApart) {
  const Totals before = totals();
  record_local(100);
  EXPECT_EQ(totals().local_copies - before.local_copies, 1U);
  EXPECT_EQ(totals().local_bytes - before.local_bytes, 100U);
  EXPECT_EQ(totals().transfers, before.transfers);
}

TEST(LedgerTest, RowsAreLogged) {
  core::set_log_levels("transfer=debug");
  ::testing::internal::CaptureStderr();
  Row row = row_of(4096);
  row.host_waited = true;
  record(row);
  const std::string line = ::testing::internal::GetCapturedStderr();
  core::set_log_levels("transfer=warn");
  EXPECT_THAT(
      line,
      HasSubstr("prepare_data: 'ids' from cpu to sim:1, 4096 bytes, int64 dense to int64 dense, "
                "producer 'feed', consumer 'embedding', waited"));
}

}  // namespace
}  // namespace loci::transfer
