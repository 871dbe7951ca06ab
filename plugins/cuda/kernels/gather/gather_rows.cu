// gather_rows_BYTES_IDS(table, ids, out, gather, units): rows of `units` units of so many bytes, on
// which both sides are aligned. rows_grad_BYTES_IDS(ids, out_grad, rows, values, count, units,
// padding): copies of both inputs, with kNoRow for the row and zeros for values at padding.
#include "kernels/device/elements.cuh"
#include "kernels/gather/gather_rows.h"
#include "kernels/gather/row_ids.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class Unit, class Id>
__device__ void gather_rows(const Unit* table, const Id* ids, Unit* out, const GatherRows& gather,
                            std::int64_t units) {
  const Turns turn = turns();
  const std::int64_t all = gather.tables * gather.count * units;
  for (std::int64_t i = turn.first; i < all; i += turn.step) {
    const std::int64_t place = i / units;
    const std::int64_t of_table = place / gather.count;
    const std::int64_t row =
        row_of(ids, place - of_table * gather.count, gather.rows, gather.names, gather.watch);
    out[i] = row == gather.padding
                 ? Unit{}
                 : table[(of_table * gather.rows + row) * units + (i - place * units)];
  }
}

template <class Unit, class Id>
__device__ void keep_rows(const Id* ids, const Unit* out_grad, Id* rows, Unit* values,
                          std::int64_t count, std::int64_t units, std::int64_t padding) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    rows[i] = ids[i] == padding ? static_cast<Id>(kNoRow) : ids[i];
  }
  for (std::int64_t i = turn.first; i < count * units; i += turn.step) {
    values[i] = ids[i / units] == padding ? Unit{} : out_grad[i];
  }
}

}  // namespace

#define LOCI_GATHER_ROWS(bytes, Unit, ids_name, Id)                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) gather_rows_##bytes##_##ids_name( \
      const Unit* table, const Id* ids, Unit* out, GatherRows gather, std::int64_t units) {     \
    gather_rows(table, ids, out, gather, units);                                                \
  }                                                                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) rows_grad_##bytes##_##ids_name(   \
      const Id* ids, const Unit* out_grad, Id* rows, Unit* values, std::int64_t count,          \
      std::int64_t units, std::int64_t padding) {                                               \
    keep_rows(ids, out_grad, rows, values, count, units, padding);                              \
  }
#define LOCI_GATHER_ROWS_BY_IDS(bytes, Unit)       \
  LOCI_GATHER_ROWS(bytes, Unit, i32, std::int32_t) \
  LOCI_GATHER_ROWS(bytes, Unit, i64, std::int64_t)

LOCI_GATHER_ROWS_BY_IDS(1, std::uint8_t)
LOCI_GATHER_ROWS_BY_IDS(2, std::uint16_t)
LOCI_GATHER_ROWS_BY_IDS(4, std::uint32_t)
LOCI_GATHER_ROWS_BY_IDS(8, std::uint64_t)
LOCI_GATHER_ROWS_BY_IDS(16, Vector<std::uint32_t>)

}  // namespace loci::cuda
