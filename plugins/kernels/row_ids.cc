#include "plugins/kernels/row_ids.h"

namespace loci::kernels {

void check_row_ids(const char* op, const IntegerView& ids, std::int64_t count, std::int64_t rows) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    least = std::min(least, ids[i]);
    most = std::max(most, ids[i]);
  }
  if (count == 0 || (least >= 0 && most < rows)) return;
  std::int64_t at = 0;
  while (ids[at] >= 0 && ids[at] < rows) ++at;
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

void sort_row_ids(const IntegerView& ids, std::int64_t count, RowKey* keys) {
  for (std::int64_t i = 0; i < count; ++i) {
    keys[i] = static_cast<RowKey>(ids[i]) << 32 | static_cast<RowKey>(i);
  }
  std::sort(keys, keys + count);
}

RowKeyRange rows_that_begin_in(const RowKey* keys, std::int64_t count, std::int64_t begin,
                               std::int64_t end) {
  const auto first_of_its_row = [&](std::int64_t i) {
    while (i > 0 && i < count && row_of(keys[i]) == row_of(keys[i - 1])) ++i;
    return keys + i;
  };
  return {first_of_its_row(begin), first_of_its_row(end)};
}

}  // namespace loci::kernels
