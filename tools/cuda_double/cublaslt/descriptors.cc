#include "tools/cuda_double/cublaslt/descriptors.h"

#include <fmt/format.h>

namespace loci::cublaslt_double {
namespace {

template <class T>
T value_of(const void* value, std::size_t bytes) {
  require(value != nullptr, "there is no value for the attribute");
  require(bytes == sizeof(T), fmt::format("the attribute has {} bytes, not {}", sizeof(T), bytes));
  T result;
  std::memcpy(&result, value, sizeof result);
  return result;
}

// Told, unlike other things that are not supported: who sets it counts on it.
[[noreturn]] void refuse_attribute(const char* of, int which) {
  throw Refusal(CUBLAS_STATUS_INVALID_VALUE,
                fmt::format("the double has no attribute {} of a {}", which, of));
}

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

void set_attribute(Layout& layout, cublasLtMatrixLayoutAttribute_t which, const void* value,
                   std::size_t bytes) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      layout.batch = value_of<std::int32_t>(value, bytes);
      return require(layout.batch > 0, "a batch count is less than 1");
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      layout.batch_step = value_of<std::int64_t>(value, bytes);
      return;
    case CUBLASLT_MATRIX_LAYOUT_ORDER: layout.order = value_of<std::int32_t>(value, bytes); return;
    default: refuse_attribute(Layout::kName, which);
  }
}

void set_attribute(Operation& operation, cublasLtMatmulDescAttributes_t which, const void* value,
                   std::size_t bytes) {
  switch (which) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      operation.transpose_a = value_of<std::int32_t>(value, bytes);
      return;
    case CUBLASLT_MATMUL_DESC_TRANSB:
      operation.transpose_b = value_of<std::int32_t>(value, bytes);
      return;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      operation.epilogue = value_of<std::uint32_t>(value, bytes);
      return;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      operation.bias = value_of<std::uint64_t>(value, bytes);
      return;
    default: refuse_attribute(Operation::kName, which);
  }
}

void set_attribute(Preference& preference, cublasLtMatmulPreferenceAttributes_t which,
                   const void* value, std::size_t bytes) {
  switch (which) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      preference.workspace = value_of<std::uint64_t>(value, bytes);
      return;
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      preference.reductions = value_of<std::uint32_t>(value, bytes);
      return;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: {
      const auto alignment = value_of<std::uint32_t>(value, bytes);
      require(is_power_of_two(alignment), "an alignment is no power of two");
      preference.alignments[which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES] = alignment;
      return;
    }
    default: refuse_attribute(Preference::kName, which);
  }
}

}  // namespace loci::cublaslt_double
