// Rows of tables by index: embedding and gather.
#pragma once

#include <algorithm>
#include <cstring>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/integer_view.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/positions.h"
#include "plugins/kernels/row_ids.h"

namespace loci::kernels {

// About what moving a row costs, for the choice of threads; a row of a large table is seldom in a
// cache.
constexpr std::int64_t row_grain(std::int64_t row_bytes) {
  return grain_for(80'000 + row_bytes * 50);
}

// Ids of rows, of which negative ones count from the end.
class RowPositions {
 public:
  RowPositions(const IntegerView& ids, std::int64_t rows) : ids_(ids), rows_(rows) {}

  LOCI_INLINE std::int64_t operator[](std::int64_t i) const { return from_start(ids_[i], rows_); }
  // Calls visit(ids), as IntegerView::with_data() does, with what counts from the start.
  template <class Visit>
  void with_data(const Visit& visit) const {
    ids_.with_data([&](const auto* data) { visit(Data(data, rows_)); });
  }

 private:
  template <class Id>
  class Data {
   public:
    Data(const Id* ids, std::int64_t rows) : ids_(ids), rows_(rows) {}

    LOCI_INLINE std::int64_t operator[](std::int64_t i) const { return from_start(ids_[i], rows_); }
    Data operator+(std::int64_t begin) const { return {ids_ + begin, rows_}; }

   private:
    const Id* ids_;
    std::int64_t rows_;
  };

  IntegerView ids_;
  std::int64_t rows_;
};

// Input 0 is `tables` tables of `rows` rows, input 1 `count` indices: of each table, the rows that
// the indices name.
struct RowGather {
  // Rows are fetched ahead, about so many bytes of them and at most so many rows.
  static constexpr std::int64_t kBytesAhead = 8192;
  static constexpr std::int64_t kRowsAhead = 12;
  static constexpr std::int64_t kLine = 64;

  void launch(const sdk::Launch& launch) const {
    const IntegerView ids(launch.input_view(1));
    const char* from = launch.input<char>(0);
    char* to = launch.output<char>(0);
    if (axis < 0) {
      check_row_ids(op, ids, count, rows);
      return copy(from, ids, to);
    }
    const auto dimension = static_cast<std::size_t>(axis);
    const bool is_plain = check_positions(op, *host, ids, count, {&rows, 1}, dimension);
    is_plain ? copy(from, ids, to) : copy(from, RowPositions(ids, rows), to);
  }

  // Copies the rows of ids that were checked.
  template <class Ids>
  void copy(const char* from, const Ids& ids, char* to) const {
    if (row_bytes == 0) return;  // nor are there addresses to copy between
    host->parallel_for(0, tables * count, row_grain(row_bytes),
                       [&](std::int64_t begin, std::int64_t end) {
                         while (begin < end) {
                           const std::int64_t table = begin / count;
                           const std::int64_t last = std::min(end, (table + 1) * count);
                           copy_rows(from + table * rows * row_bytes, ids, begin - table * count,
                                     last - table * count, to + begin * row_bytes);
                           begin = last;
                         }
                       });
  }

  template <class Ids>
  void copy_rows(const char* table, const Ids& ids, std::int64_t begin, std::int64_t end,
                 char* to) const {
    if (padding < 0) {
      switch (row_bytes) {
        case 1: return copy_elements<std::uint8_t>(table, ids, begin, end, to);
        case 2: return copy_elements<std::uint16_t>(table, ids, begin, end, to);
        case 4: return copy_elements<std::uint32_t>(table, ids, begin, end, to);
        case 8: return copy_elements<std::uint64_t>(table, ids, begin, end, to);
        default: break;
      }
    }
    if (row_bytes >= kLine) return copy_long_rows(table, ids, begin, end, to);
    for (std::int64_t i = begin; i < end; ++i, to += row_bytes) {
      if (i + kRowsAhead < end) prefetch_row(table + ids[i + kRowsAhead] * row_bytes, row_bytes);
      copy_row(table, ids[i], to);
    }
  }

  // Rows of at least a line. Where vectors are lines, one of a later row is asked for with each
  // that is copied: asked for all at once, they fill the processor's list of what it waits for, and
  // the copy waits too.
  template <class Ids>
  void copy_long_rows(const char* table, const Ids& ids, std::int64_t begin, std::int64_t end,
                      char* to) const {
    const std::int64_t ahead = std::clamp<std::int64_t>(kBytesAhead / row_bytes, 1, kRowsAhead);
    // A copy: what is captured by reference is read again after each line that is written.
    run_widest([&, bytes = row_bytes](auto vector) LOCI_INLINE {
      constexpr bool kByLines = decltype(vector)::kBytes == kLine;
      char* out = to;
      for (std::int64_t i = begin; i < end; ++i, out += bytes) {
        const char* later = table + ids[std::min(i + ahead, end - 1)] * bytes;
        const std::int64_t id = ids[i];
        if (kByLines && id != padding) {
          copy_and_fetch(table + id * bytes, out, later, bytes);
        } else {
          prefetch_row(later, bytes);
          copy_row(table, id, out);
        }
      }
    });
  }

  LOCI_INLINE static void copy_and_fetch(const char* from, char* to, const char* later,
                                         std::int64_t bytes) {
    std::int64_t byte = 0;
    for (; byte + kLine <= bytes; byte += kLine) {
      __builtin_prefetch(later + byte);
      std::memcpy(to + byte, from + byte, kLine);
    }
    __builtin_prefetch(later + bytes - 1);
    // The last line has what the last whole one leaves, with some of what is there already.
    std::memcpy(to + bytes - kLine, from + bytes - kLine, kLine);
  }

  // Rows of one element each: nothing but the look-ups themselves, several of which are under way
  // at a time.
  template <class Element, class Ids>
  static void copy_elements(const char* table, const Ids& all_ids, std::int64_t begin,
                            std::int64_t end, char* to) {
    constexpr std::int64_t kTogether = 8;
    const auto* from = reinterpret_cast<const Element*>(table);
    auto* out = reinterpret_cast<Element*>(to);
    const std::int64_t count = end - begin;
    all_ids.with_data([&](auto data) {
      const auto ids = data + begin;
      std::int64_t i = 0;
      for (; i + kTogether <= count; i += kTogether) {
        Element found[kTogether];
        for (std::int64_t j = 0; j < kTogether; ++j) found[j] = from[ids[i + j]];
        std::memcpy(out + i, found, sizeof found);
      }
      for (; i < count; ++i) out[i] = from[ids[i]];
    });
  }

  void copy_row(const char* table, std::int64_t id, char* to) const {
    const auto bytes = static_cast<std::size_t>(row_bytes);
    if (id == padding) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, table + id * row_bytes, bytes);
    }
  }

  const char* op;  // for messages
  const sdk::Host* host;
  std::int64_t tables = 1;
  std::int64_t count;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t padding = -1;  // a row that reads as zeros
  // The dimension whose positions the indices are, which may count from the end; -1 for ids.
  std::int64_t axis = -1;
};

}  // namespace loci::kernels
