// Elements of a table at positions along an axis.
//   take_elements_BYTES_IDS(x, ids, out, places)   the elements
//   element_rows_IDS(ids, rows, places)            where they are, from the first of the table
#include "kernels/device/elements.cuh"
#include "kernels/device/fast_divmod.cuh"
#include "kernels/gather/element_places.h"
#include "kernels/gather/row_ids.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class Id>
__device__ std::int64_t element_at(const Id* ids, std::int64_t i, const ElementPlaces& places) {
  std::int64_t rest = i;
  std::int64_t beside = 0;
  for (int axis = places.rank - 1; axis >= 0; --axis) {
    const std::int64_t outer = quotient(rest, places.extents[axis]);
    beside += (rest - outer * places.extents[axis].value) * places.steps[axis];
    rest = outer;
  }
  return beside + position_of(ids, i, places.extent, places.watch) * places.step;
}

template <class T, class Id>
__device__ void take_elements(const T* x, const Id* ids, T* out, const ElementPlaces& places) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < places.count; i += turn.step) {
    out[i] = x[element_at(ids, i, places)];
  }
}

template <class Id>
__device__ void element_rows(const Id* ids, std::int64_t* rows, const ElementPlaces& places) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < places.count; i += turn.step) {
    rows[i] = element_at(ids, i, places);
  }
}

}  // namespace

#define LOCI_TAKE_ELEMENTS(bytes, T, ids_name, Id)                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) take_elements_##bytes##_##ids_name( \
      const T* x, const Id* ids, T* out, const __grid_constant__ ElementPlaces places) {          \
    take_elements(x, ids, out, places);                                                           \
  }
#define LOCI_ELEMENT_ROWS(ids_name, Id)                                                  \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) element_rows_##ids_name(   \
      const Id* ids, std::int64_t* rows, const __grid_constant__ ElementPlaces places) { \
    element_rows(ids, rows, places);                                                     \
  }                                                                                      \
  LOCI_TAKE_ELEMENTS(1, std::uint8_t, ids_name, Id)                                      \
  LOCI_TAKE_ELEMENTS(2, std::uint16_t, ids_name, Id)                                     \
  LOCI_TAKE_ELEMENTS(4, std::uint32_t, ids_name, Id)                                     \
  LOCI_TAKE_ELEMENTS(8, std::uint64_t, ids_name, Id)

LOCI_ELEMENT_ROWS(i32, std::int32_t)
LOCI_ELEMENT_ROWS(i64, std::int64_t)

}  // namespace loci::cuda
