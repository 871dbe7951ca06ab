#include "plugins/kernels/row_ids.h"

#include <array>
#include <bit>
#include <utility>

#include "plugins/kernels/positions.h"

namespace loci::kernels {
namespace {

// Fewer keys are sorted by comparing them.
constexpr std::int64_t kFewKeys = 64;
constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// Keeps the order of keys whose digits are the same.
void sort_by_digit(const RowKey* from, RowKey* to, std::int64_t count, int shift) {
  const auto digit = [shift](RowKey key) { return (key >> shift) % kDigits; };
  std::array<std::int64_t, kDigits> places{};
  for (std::int64_t i = 0; i < count; ++i) ++places[digit(from[i])];
  std::int64_t next = 0;
  for (std::int64_t& place : places) next += std::exchange(place, next);
  for (std::int64_t i = 0; i < count; ++i) to[places[digit(from[i])]++] = from[i];
}

RowKey key_of(std::int64_t row, std::int64_t position) {
  return static_cast<RowKey>(row) << 32 | static_cast<RowKey>(position);
}

// Sorts `count` keys at the begin of a workspace of two lists of `all`.
RowKeys sort_keys(RowKey* keys, std::int64_t count, std::int64_t all, std::int64_t rows) {
  if (count < kFewKeys) {
    std::sort(keys, keys + count);
    return {keys, count};
  }
  RowKey* other = keys + all;
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows - 1)));
  for (int bit = 0; bit < bits; bit += kDigitBits) {
    sort_by_digit(keys, other, count, 32 + bit);
    std::swap(keys, other);
  }
  return {keys, count};
}

}  // namespace

void check_row_ids(const char* op, const IntegerView& ids, std::int64_t count, std::int64_t rows,
                   std::int64_t least) {
  std::int64_t lowest = 0;
  std::int64_t most = kNoRow;
  ids.with_data([&](const auto* data) {
    for (std::int64_t i = 0; i < count; ++i) {
      lowest = std::min<std::int64_t>(lowest, data[i]);
      most = std::max<std::int64_t>(most, data[i]);
    }
  });
  if (count == 0 || (lowest >= least && most < rows)) return;
  std::int64_t at = 0;
  while (ids[at] >= least && ids[at] < rows) ++at;
  std::string message = "[";
  message.append(op).append("] the id at position ").append(std::to_string(at));
  message.append(" is ").append(std::to_string(ids[at]));
  message.append("; the table has rows [0, ").append(std::to_string(rows)).append(")");
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

std::string row_keys_refusal(std::int64_t rows, std::int64_t count) {
  if (rows <= kMostRowIds && count <= kMostRowIds) return {};
  return "more than 2^32 rows or ids";
}

RowKeys sort_row_ids(const IntegerView& ids, std::int64_t all, std::int64_t rows,
                     RowKey* workspace) {
  std::int64_t count = 0;
  ids.with_data([&](const auto* data) {
    for (std::int64_t i = 0; i < all; ++i) {
      workspace[count] = key_of(data[i], i);
      count += data[i] == kNoRow ? 0 : 1;
    }
  });
  return sort_keys(workspace, count, all, rows);
}

RowKeys sort_row_positions(const IntegerView& ids, std::int64_t count, std::int64_t rows,
                           RowKey* workspace) {
  ids.with_data([&](const auto* data) {
    for (std::int64_t i = 0; i < count; ++i) workspace[i] = key_of(from_start(data[i], rows), i);
  });
  return sort_keys(workspace, count, count, rows);
}

RowKeyRange rows_that_begin_in(const RowKeys& keys, std::int64_t begin, std::int64_t end) {
  const auto first_of_its_row = [&](std::int64_t i) {
    const RowKey* data = keys.data;
    while (i > 0 && i < keys.count && row_of(data[i]) == row_of(data[i - 1])) ++i;
    return data + i;
  };
  return {first_of_its_row(begin), first_of_its_row(end)};
}

}  // namespace loci::kernels
