#include "plugins/kernels/row_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "plugins/kernels/integer_view.h"

namespace loci::kernels {
namespace {

template <class Id>
IntegerView view_of(std::vector<Id>& ids) {
  loci_view view{};
  view.data = ids.data();
  view.dtype = sizeof(Id) == 8 ? LOCI_DTYPE_I64 : LOCI_DTYPE_I32;
  return IntegerView(view);
}

// Sorts the keys by comparing, which is right whatever the bits are.
template <class Id>
std::vector<RowKey> compared(const std::vector<Id>& ids) {
  std::vector<RowKey> keys;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoRow) continue;
    keys.push_back(static_cast<RowKey>(ids[i]) << 32 | static_cast<RowKey>(i));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

template <class Id>
void expect_sorted(std::vector<Id> ids, std::int64_t rows) {
  const auto count = static_cast<std::int64_t>(ids.size());
  std::vector<RowKey> workspace(row_keys_bytes(count) / sizeof(RowKey) + 1, 7);
  const RowKeys keys = sort_row_ids(view_of(ids), count, rows, workspace.data());
  EXPECT_EQ(std::vector<RowKey>(keys.data, keys.data + keys.count), compared(ids))
      << count << " ids of " << rows << " rows";
  EXPECT_EQ(workspace.back(), 7U) << "written past the end";
}

template <class Id>
std::vector<Id> random_ids(std::size_t count, std::int64_t rows) {
  std::mt19937_64 random(count);
  std::vector<Id> ids(count);
  for (Id& id : ids) id = static_cast<Id>(random() % static_cast<std::uint64_t>(rows));
  return ids;
}

TEST(RowIdsTest, SortByRowAndThenByPosition) {
  for (const std::size_t count : {1, 2, 63, 64, 65, 1000}) {
    for (const std::int64_t rows : {1, 2, 255, 256, 257, 70'000, 20'000'000}) {
      expect_sorted(random_ids<std::int64_t>(count, rows), rows);
      expect_sorted(random_ids<std::int32_t>(count, rows), rows);
    }
  }
}

TEST(RowIdsTest, SortTheLastOfTheMostRows) {
  std::vector<std::int64_t> ids = random_ids<std::int64_t>(300, kMostRowIds);
  ids[7] = ids[200] = kMostRowIds - 1;
  expect_sorted(ids, kMostRowIds);
}

TEST(RowIdsTest, LeaveOutWhatNamesNoRow) {
  for (const std::size_t count : {1, 5, 63, 200, 1000}) {
    for (const std::int64_t rows : {1, 256, 257, 70'000}) {
      std::vector<std::int32_t> ids = random_ids<std::int32_t>(count, rows);
      for (std::size_t i = 0; i < count; i += 3) ids[i] = -1;
      expect_sorted(ids, rows);
    }
  }
  expect_sorted(std::vector<std::int64_t>(100, kNoRow), 7);
}

TEST(RowIdsTest, AreCheckedFromTheLeastOneOn) {
  std::vector<std::int64_t> ids{2, -1, 0};
  EXPECT_NO_THROW(check_row_ids("rows", view_of(ids), 3, 3, kNoRow));
  EXPECT_THROW(check_row_ids("rows", view_of(ids), 3, 3), sdk::Error);
  ids[1] = -2;
  EXPECT_THROW(check_row_ids("rows", view_of(ids), 3, 3, kNoRow), sdk::Error);
  ids[1] = 3;
  EXPECT_THROW(check_row_ids("rows", view_of(ids), 3, 3, kNoRow), sdk::Error);
}

TEST(RowIdsTest, SortNothing) { expect_sorted(std::vector<std::int64_t>{}, 0); }

}  // namespace
}  // namespace loci::kernels
