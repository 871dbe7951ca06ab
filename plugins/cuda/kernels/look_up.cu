// look_up_BYTES_IDS(table, ids, out, look_up, units): rows of `units` units of so many bytes, on
// which both sides are aligned. rows_grad_BYTES_IDS(ids, out_grad, rows, values, count, units,
// padding): copies of both inputs, with zeros for values at padding.
#include "kernels/block_threads.h"
#include "kernels/elements.cuh"
#include "kernels/look_up.h"
#include "kernels/row_ids.cuh"

namespace loci::cuda {
namespace {

template <class Unit, class Id>
__device__ void look_up_rows(const Unit* table, const Id* ids, Unit* out, const LookUp& look_up,
                             std::int64_t units) {
  const Turns turn = turns();
  const std::int64_t all = look_up.tables * look_up.count * units;
  for (std::int64_t i = turn.first; i < all; i += turn.step) {
    const std::int64_t place = i / units;
    const std::int64_t of_table = place / look_up.count;
    const std::int64_t row = row_of(ids[place - of_table * look_up.count], look_up.rows);
    out[i] = row == look_up.padding
                 ? Unit{}
                 : table[(of_table * look_up.rows + row) * units + (i - place * units)];
  }
}

template <class Unit, class Id>
__device__ void keep_rows(const Id* ids, const Unit* out_grad, Id* rows, Unit* values,
                          std::int64_t count, std::int64_t units, std::int64_t padding) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) rows[i] = ids[i];
  for (std::int64_t i = turn.first; i < count * units; i += turn.step) {
    values[i] = ids[i / units] == padding ? Unit{} : out_grad[i];
  }
}

}  // namespace

#define LOCI_LOOK_UP(bytes, Unit, ids_name, Id)                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) look_up_##bytes##_##ids_name(   \
      const Unit* table, const Id* ids, Unit* out, LookUp look_up, std::int64_t units) {      \
    look_up_rows(table, ids, out, look_up, units);                                            \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) rows_grad_##bytes##_##ids_name( \
      const Id* ids, const Unit* out_grad, Id* rows, Unit* values, std::int64_t count,        \
      std::int64_t units, std::int64_t padding) {                                             \
    keep_rows(ids, out_grad, rows, values, count, units, padding);                            \
  }
#define LOCI_LOOK_UPS(bytes, Unit)             \
  LOCI_LOOK_UP(bytes, Unit, i32, std::int32_t) \
  LOCI_LOOK_UP(bytes, Unit, i64, std::int64_t)

LOCI_LOOK_UPS(1, std::uint8_t)
LOCI_LOOK_UPS(2, std::uint16_t)
LOCI_LOOK_UPS(4, std::uint32_t)
LOCI_LOOK_UPS(8, std::uint64_t)
LOCI_LOOK_UPS(16, Vector<std::uint32_t>)

}  // namespace loci::cuda
