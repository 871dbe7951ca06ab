// Accuracy. accuracy_DTYPE(x, labels, are_int64, rows, classes, k, correct): a flag for each row.
// accuracy_total(correct, rows, share, correct_rows, total): one block adds them up.
#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/labels.cuh"

namespace loci::cuda {
namespace {

// NaN counts as the largest.
template <class C>
__device__ bool is_larger(C x, C y) {
  return x > y || (x != x && y == y);
}

// A label is among the k largest if fewer than k classes come before it; of equal ones the first
// comes first. A label that is no class never is.
template <class T>
__device__ void find_correct(const T* x, const void* labels, bool are_int64, std::int64_t rows,
                             std::int64_t classes, std::int64_t k, std::int32_t* correct) {
  const RowTeam team(kWarpThreads);
  for (std::int64_t row = team.first_item(); row < rows; row += team.item_step()) {
    const std::int64_t label = label_at(labels, are_int64, row);
    const bool is_class = label >= 0 && label < classes;
    std::int64_t before = 0;
    if (is_class) {
      const T* scores = x + row * classes;
      const auto chosen = Element<T>::widen(scores[label]);
      for (std::int64_t i = team.member(); i < classes; i += team.size()) {
        const auto value = Element<T>::widen(scores[i]);
        const bool is_equal = i < label && !is_larger(chosen, value);
        before += is_larger(value, chosen) || is_equal ? 1 : 0;
      }
    }
    before = team.fold<Plus>(before);
    if (team.member() == 0) correct[row] = is_class && before < k ? 1 : 0;
  }
}

}  // namespace

#define LOCI_ACCURACY(dtype, T)                                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                             \
      accuracy_##dtype(const T* x, const void* labels, bool are_int64, std::int64_t rows, \
                       std::int64_t classes, std::int64_t k, std::int32_t* correct) {     \
    find_correct(x, labels, are_int64, rows, classes, k, correct);                        \
  }

LOCI_ACCURACY(f32, float)
LOCI_ACCURACY(f64, double)
LOCI_ACCURACY(f16, __half)
LOCI_ACCURACY(bf16, __nv_bfloat16)

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    accuracy_total(const std::int32_t* correct, std::int64_t rows, float* share,
                   std::int32_t* correct_rows, std::int32_t* total) {
  std::int32_t count = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += kBlockThreads) count += correct[row];
  count = fold_block<Plus>(count);
  if (threadIdx.x != 0) return;
  *share =
      rows == 0 ? 0.0F : static_cast<float>(static_cast<double>(count) / static_cast<double>(rows));
  *correct_rows = count;
  *total = static_cast<std::int32_t>(rows);
}

}  // namespace loci::cuda
