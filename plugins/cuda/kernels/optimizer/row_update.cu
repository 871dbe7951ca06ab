// Updates of parameters by row-sparse gradients, in place: NAME_rows_DTYPE(arguments, rows). Rows
// of the gradient for one row of the parameter are added up first, in their order.
#include "kernels/device/fast_divmod.cuh"
#include "kernels/gather/row_keys.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/optimizer/row_update.h"
#include "kernels/optimizer/update_rules.cuh"

namespace loci::cuda {
namespace {

// Sums the gradients of those keys from `first` on that are the row's.
template <class T>
__device__ computed_t<T> sum_of_row(const RowUpdate& rows, const T* grad, std::int64_t row,
                                    std::int64_t first, std::int64_t column) {
  computed_t<T> sum = 0;
  for (std::int64_t k = first; k < rows.count && row_of_key(rows.keys[k]) == row; ++k) {
    sum += Element<T>::widen(grad[position_of_key(rows.keys[k]) * rows.width.value + column]);
  }
  return sum;
}

// The first thread of those whose keys are a row's updates it.
template <class Rule, class T>
__device__ void update_touched(const UpdateArguments& arguments, const RowUpdate& rows) {
  const Rule rule(arguments);
  const States<T> states(arguments);
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < rows.count * rows.width.value; i += turn.step) {
    const std::int64_t first = quotient(i, rows.width);
    const std::int64_t row = row_of_key(rows.keys[first]);
    if (row == kRowOfNone || (first > 0 && row_of_key(rows.keys[first - 1]) == row)) continue;
    const std::int64_t column = i - first * rows.width.value;
    const T* grad = static_cast<const T*>(arguments.grad);
    update_element(rule, static_cast<T*>(arguments.param),
                   sum_of_row(rows, grad, row, first, column), states,
                   row * rows.width.value + column);
  }
}

// A row that does not occur sees a gradient of 0.
template <class Rule, class T>
__device__ void update_all(const UpdateArguments& arguments, const RowUpdate& rows) {
  const Rule rule(arguments);
  const States<T> states(arguments);
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < arguments.count; i += turn.step) {
    const std::int64_t row = quotient(i, rows.width);
    const std::int64_t first =
        rank_in(rows.keys, rows.count, static_cast<std::uint64_t>(row) << 32);
    const T* grad = static_cast<const T*>(arguments.grad);
    update_element(rule, static_cast<T*>(arguments.param),
                   sum_of_row(rows, grad, row, first, i - row * rows.width.value), states, i);
  }
}

template <class Rule, class T>
__device__ void update_rows(const UpdateArguments& arguments, const RowUpdate& rows) {
  if (rows.is_lazy) {
    update_touched<Rule, T>(arguments, rows);
  } else {
    update_all<Rule, T>(arguments, rows);
  }
}

}  // namespace

#define LOCI_UPDATE_ROWS(name, Rule, dtype, T)                                                     \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_rows_##dtype(                 \
      const __grid_constant__ UpdateArguments arguments, const __grid_constant__ RowUpdate rows) { \
    update_rows<Rule<T>, T>(arguments, rows);                                                      \
  }
#define LOCI_UPDATE_ROWS_OF_FLOATS(name, Rule) \
  LOCI_UPDATE_ROWS(name, Rule, f32, float)     \
  LOCI_UPDATE_ROWS(name, Rule, f64, double)    \
  LOCI_UPDATE_ROWS(name, Rule, f16, __half)    \
  LOCI_UPDATE_ROWS(name, Rule, bf16, __nv_bfloat16)

LOCI_UPDATE_ROWS_OF_FLOATS(sgd, Sgd)
LOCI_UPDATE_ROWS_OF_FLOATS(momentum, Momentum)
LOCI_UPDATE_ROWS_OF_FLOATS(adam, Adam)

}  // namespace loci::cuda
