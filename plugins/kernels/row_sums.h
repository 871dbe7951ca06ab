// The transpose of a look-up: rows added up by index, for the gradients of embedding and gather.
#pragma once

#include <algorithm>
#include <cstring>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/positions.h"
#include "plugins/kernels/row_block.h"
#include "plugins/kernels/row_gather.h"
#include "plugins/kernels/row_ids.h"

namespace loci::kernels {

// Input 1 is `count` indices, input 2 `tables` times as many rows. Each table of the output is
// zeroed, and each row that occurs gets the sum of its gradients, rounded once. Needs a workspace
// of `count` RowKeys.
template <class T>
struct RowSums {
  using C = sdk::compute_t<T>;

  void launch(const sdk::Launch& launch) const {
    const IntegerView ids(launch.input_view(1));
    const T* out_grad = launch.input<T>(2);
    T* out = launch.output<T>(0);
    check(ids);
    if (width == 0 || tables == 0) return;
    const RowKeys keys = sort(ids, launch.workspace<RowKey>());
    zero(out);
    if (tables == 1) {
      host->parallel_for(0, keys.count, row_grain(row_bytes()),
                         [&](std::int64_t begin, std::int64_t end) {
                           add(rows_that_begin_in(keys, begin, end), out_grad, out);
                         });
    } else {
      host->parallel_for(0, tables, row_grain(row_bytes() * count),
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t table = begin; table < end; ++table) {
                             add({keys.data, keys.data + keys.count},
                                 out_grad + table * count * width, out + table * rows * width);
                           }
                         });
    }
  }

  void check(const IntegerView& ids) const {
    if (axis < 0) return check_row_ids(op, ids, count, rows, kNoRow);
    (void)check_positions(op, *host, ids, count, {&rows, 1}, static_cast<std::size_t>(axis));
  }

  [[nodiscard]] RowKeys sort(const IntegerView& ids, RowKey* workspace) const {
    if (axis < 0) return sort_row_ids(ids, count, rows, workspace);
    return sort_row_positions(ids, count, rows, workspace);
  }

  [[nodiscard]] std::int64_t row_bytes() const {
    return width * static_cast<std::int64_t>(sizeof(T));
  }

  void zero(T* out) const {
    host->parallel_for(0, tables * rows * width, grain_for(50 * sizeof(T)),
                       [&](std::int64_t begin, std::int64_t end) {
                         std::memset(static_cast<void*>(out + begin), 0,
                                     static_cast<std::size_t>(end - begin) * sizeof(T));
                       });
  }

  void add(RowKeyRange range, const T* out_grad, T* out) const {
    run_widest([&](auto) LOCI_INLINE { add_rows(range, out_grad, out); });
  }

  LOCI_INLINE void add_rows(RowKeyRange range, const T* out_grad, T* out) const {
    C sum[kRowBlock];
    for (const RowKey* first = range.first; first != range.last;) {
      const RowKey* last = first + 1;
      while (last != range.last && row_of(*last) == row_of(*first)) ++last;
      for (std::int64_t column = 0; row_of(*first) != padding && column < width;
           column += kRowBlock) {
        const std::int64_t block = std::min(kRowBlock, width - column);
        sum_row_block(first, last, out_grad, width, column, block, sum);
        T* target = out + row_of(*first) * width + column;
        for (std::int64_t i = 0; i < block; ++i) target[i] = static_cast<T>(sum[i]);
      }
      first = last;
    }
  }

  const char* op;  // for messages
  const sdk::Host* host;
  std::int64_t tables = 1;
  std::int64_t count;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t padding = -1;  // a row without a gradient
  // The dimension whose positions the indices are, which may count from the end; -1 for ids, of
  // which kNoRow names none.
  std::int64_t axis = -1;
};

}  // namespace loci::kernels
