#include "kernels/matmul/cublaslt_product.h"

#include <algorithm>
#include <iterator>
#include <loci/plugin/dtype_visit.hpp>
#include <utility>

#include "cublaslt_handle.h"
#include "device.h"
#include "kernels/library/autotuning.h"
#include "kernels/library/library_workspace.h"

namespace loci::cuda {
namespace {

// The library's algorithms make use of this alignment, in bytes, at most.
constexpr std::uint32_t kVectorAlignment = 16;

// NVIDIA recommends these bytes for the processors of most devices and for those of sm_90.
constexpr std::uint64_t kUsualWorkspace = std::uint64_t{4} << 20;
constexpr std::uint64_t kLargeWorkspace = std::uint64_t{32} << 20;

// The library may name so many of the algorithms that come close.
constexpr int kTriedAlgorithms = 8;

cudaDataType_t type_of(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_F16: return CUDA_R_16F;
    case LOCI_DTYPE_BF16: return CUDA_R_16BF;
    case LOCI_DTYPE_F32: return CUDA_R_32F;
    case LOCI_DTYPE_F64: return CUDA_R_64F;
    default: sdk::fail_dtype(dtype);
  }
}

// Sums of halves are float32.
cublasComputeType_t compute_type_of(loci_dtype dtype, bool uses_tf32) {
  if (dtype == LOCI_DTYPE_F64) return CUBLAS_COMPUTE_64F;
  return dtype == LOCI_DTYPE_F32 && uses_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

bool is_there(const CublasLtEpilogue& epilogue) {
  return epilogue.bias || epilogue.residual || epilogue.activation != Activation::kNone;
}

// Returns true if its results have to be rounded: ReLU's of what is rounded are.
bool rounds(const CublasLtEpilogue& epilogue) {
  return epilogue.bias || epilogue.residual ||
         (epilogue.activation != Activation::kNone && epilogue.activation != Activation::kRelu);
}

// Halves in one rounding: by an epilogue of the product's own, which the library has where threads
// load and store whole vectors.
bool may_apply(const WantedEpilogue& wanted, loci_dtype dtype, const CublasLtMatrices& matrices) {
  if (!is_there(wanted.library)) return false;
  if (!is_half_dtype(dtype)) return true;
  const auto lanes = static_cast<std::int64_t>(kVectorAlignment / sdk::dtype_bytes(dtype));
  return wanted.is_whole && (!rounds(wanted.library) || are_of_vectors(matrices, lanes));
}

// Descriptors are read only where they are given as mutable.
template <class T>
T* given(const T& opaque) {
  return const_cast<T*>(&opaque);
}

}  // namespace

bool is_half_dtype(loci_dtype dtype) { return dtype == LOCI_DTYPE_F16 || dtype == LOCI_DTYPE_BF16; }

CublasLtProduct::CublasLtProduct(Device& device, loci_dtype dtype, const CublasLtMatrices& matrices,
                                 const CublasLtEpilogue& epilogue, CublasLtResults results)
    : device_(device),
      library_(device.cublaslt()),
      handle_(library_.get()),
      epilogue_(epilogue),
      dtype_(dtype),
      result_dtype_(results == CublasLtResults::kSums ? LOCI_DTYPE_F32 : dtype),
      scale_type_(dtype == LOCI_DTYPE_F64 ? CUDA_R_64F : CUDA_R_32F),
      compute_type_(compute_type_of(dtype, library_.uses_tf32())),
      matrices_(matrices) {
  describe(a_, matrices_.a, dtype_);
  describe(b_, matrices_.b, dtype_);
  describe(d_, matrices_.d, result_dtype_);
  describe(operation_, nullptr);
  aligned_ = choose(kVectorAlignment);
  if (!aligned_) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "cuBLASLt has no algorithm for these shapes and types");
  }
  // The library ends halves that lie anywhere after it rounded them.
  if (!has_sums() && is_half_dtype(dtype) && rounds(epilogue)) return;
  anywhere_ = choose(static_cast<std::uint32_t>(sdk::dtype_bytes(dtype)));
}

std::uint64_t CublasLtProduct::bytes_of(const CublasLtMatrix& matrix, loci_dtype dtype) const {
  const std::int64_t elements = (matrices_.batch - 1) * matrix.batch_step +
                                (matrix.columns - 1) * matrix.leading + matrix.rows;
  return static_cast<std::uint64_t>(elements) * sdk::dtype_bytes(dtype);
}

std::uint64_t CublasLtProduct::bytes_of_sums() const {
  if (!has_sums()) return 0;
  const std::uint64_t bytes = bytes_of(matrices_.d, result_dtype_);
  return (bytes + kLibraryAlignment - 1) / kLibraryAlignment * kLibraryAlignment;
}

std::string CublasLtProduct::key(std::uint32_t alignment) const {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const CublasLtMatrix& matrix : {matrices_.a, matrices_.b, matrices_.d}) {
    for (const std::int64_t extent :
         {matrix.rows, matrix.columns, matrix.leading, matrix.batch_step}) {
      add(extent);
    }
  }
  for (const int property :
       {static_cast<int>(dtype_), static_cast<int>(result_dtype_), matrices_.batch,
        static_cast<int>(matrices_.transpose_a), static_cast<int>(matrices_.transpose_b),
        static_cast<int>(lt_epilogue()), epilogue_.residual ? 1 : 0, static_cast<int>(alignment)}) {
    add(property);
  }
  return bytes;
}

void CublasLtProduct::describe(cublasLtMatrixLayoutOpaque_t& layout, const CublasLtMatrix& matrix,
                               loci_dtype dtype) const {
  const CublasLtLibrary& lt = library_.library();
  library_.check(lt->cublasLtMatrixLayoutInit_internal(&layout, sizeof layout, type_of(dtype),
                                                       static_cast<std::uint64_t>(matrix.rows),
                                                       static_cast<std::uint64_t>(matrix.columns),
                                                       matrix.leading),
                 "describing a matrix");
  const auto set = [&](cublasLtMatrixLayoutAttribute_t which, const auto& value) {
    library_.check(lt->cublasLtMatrixLayoutSetAttribute(&layout, which, &value, sizeof value),
                   "describing a matrix");
  };
  if (matrices_.batch == 1) return;
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, matrices_.batch);
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batch_step);
}

void CublasLtProduct::describe(cublasLtMatmulDescOpaque_t& operation, const void* bias) const {
  const CublasLtLibrary& lt = library_.library();
  library_.check(
      lt->cublasLtMatmulDescInit_internal(&operation, sizeof operation, compute_type_, scale_type_),
      "describing a product");
  const auto set = [&](cublasLtMatmulDescAttributes_t which, const auto& value) {
    library_.check(lt->cublasLtMatmulDescSetAttribute(&operation, which, &value, sizeof value),
                   "describing a product");
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, static_cast<std::int32_t>(matrices_.transpose_a));
  set(CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(matrices_.transpose_b));
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(lt_epilogue()));
  if (bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
}

cublasLtEpilogue_t CublasLtProduct::lt_epilogue() const {
  switch (epilogue_.activation) {
    case Activation::kRelu:
      return epilogue_.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::kGeluTanh:
      return epilogue_.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default: return epilogue_.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }
}

// Sums that are divided are added up in their own type, in an order that does not change.
std::vector<CublasLtProduct::Algorithm> CublasLtProduct::candidates(std::uint32_t alignment,
                                                                    int most) {
  const CublasLtLibrary& lt = library_.library();
  cublasLtMatmulPreferenceOpaque_t preference;
  library_.check(lt->cublasLtMatmulPreferenceInit_internal(&preference, sizeof preference),
                 "describing a preference");
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
    library_.check(
        lt->cublasLtMatmulPreferenceSetAttribute(&preference, which, &value, sizeof value),
        "describing a preference");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
      library_.prefers_large_workspace() ? kLargeWorkspace : kUsualWorkspace);
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  for (const auto which :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES}) {
    set(which, alignment);
  }
  for (const auto which :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(which, has_sums() ? kVectorAlignment : alignment);
  }
  // The bias's address tells how that is aligned; it is not read.
  const std::uintptr_t bias = epilogue_.bias ? alignment : 0;
  cublasLtMatmulDescOpaque_t operation;
  describe(operation, reinterpret_cast<const void*>(bias));
  std::vector<Algorithm> results(static_cast<std::size_t>(most));
  int count = 0;
  const cublasStatus_t status = lt->cublasLtMatmulAlgoGetHeuristic(
      handle_, &operation, &a_, &b_, &d_, &d_, &preference, most, results.data(), &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  library_.check(status, "choosing an algorithm");
  results.resize(static_cast<std::size_t>(count));
  const auto is_not_there = [](const Algorithm& each) {
    return each.state != CUBLAS_STATUS_SUCCESS;
  };
  results.erase(std::remove_if(results.begin(), results.end(), is_not_there), results.end());
  return results;
}

std::optional<CublasLtProduct::Algorithm> CublasLtProduct::choose(std::uint32_t alignment) {
  std::vector<Algorithm> found =
      candidates(alignment, library_.tries_algorithms() ? kTriedAlgorithms : 1);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front();
  const auto tried = library_.tried().find(key(alignment), [&] { return fastest(found); });
  return tried ? tried : found.front();
}

const CublasLtProduct::Algorithm& CublasLtProduct::fastest(
    const std::vector<Algorithm>& candidates) const {
  try {
    const std::vector<float> times = times_of(candidates);
    return candidates[static_cast<std::size_t>(std::min_element(times.begin(), times.end()) -
                                               times.begin())];
  } catch (const sdk::Error& error) {
    if (error.code() != LOCI_CODE_OUT_OF_MEMORY) throw;
  }
  return candidates.front();
}

// With operands of its own, that lie as those of most launches do.
std::vector<float> CublasLtProduct::times_of(const std::vector<Algorithm>& candidates) const {
  std::uint64_t workspace = 0;
  for (const Algorithm& each : candidates) workspace = std::max(workspace, each.workspaceSize);
  const RelaxedCapture relaxed(device_.driver());
  const std::uint64_t a = bytes_of(matrices_.a, dtype_);
  const std::uint64_t b = bytes_of(matrices_.b, dtype_);
  const std::uint64_t d = bytes_of(matrices_.d, result_dtype_);
  Autotuning tuning(device_, Autotuning::taken(a) + Autotuning::taken(b) +
                                 3 * Autotuning::taken(d) + Autotuning::taken(workspace));
  CublasLtOperands operands{};
  operands.y = tuning.take(a);
  operands.x = tuning.take(b);
  operands.out = tuning.take(d);
  operands.bias = tuning.take(d);
  operands.residual = tuning.take(d);
  void* const scratch = tuning.take(workspace);
  const auto time_of = [&](const Algorithm& algorithm) {
    return tuning.shortest([&](CUstream stream) {
      return enqueue(algorithm, operands, scratch, stream) == CUBLAS_STATUS_SUCCESS;
    });
  };
  std::vector<float> times;
  std::transform(candidates.begin(), candidates.end(), std::back_inserter(times), time_of);
  return times;
}

std::uint64_t CublasLtProduct::workspace() const {
  const std::uint64_t wanted =
      std::max(aligned_->workspaceSize, anywhere_ ? anywhere_->workspaceSize : 0);
  return library_workspace(bytes_of_sums() + wanted);
}

void* CublasLtProduct::results(const sdk::Launch& launch) const {
  return has_sums() ? aligned_workspace(launch) : launch.output<void>(0);
}

bool CublasLtProduct::are_aligned(const CublasLtOperands& operands) const {
  const auto address = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  };
  std::uintptr_t all = address(operands.x) | address(operands.y);
  if (!has_sums()) all |= address(operands.out);
  if (epilogue_.bias) all |= address(operands.bias);
  if (epilogue_.residual) all |= address(operands.residual);
  return all % kVectorAlignment == 0;
}

const void* CublasLtProduct::scalar(bool is_one) const {
  static constexpr float kFloats[] = {0, 1};
  static constexpr double kDoubles[] = {0, 1};
  if (scale_type_ == CUDA_R_64F) return &kDoubles[is_one ? 1 : 0];
  return &kFloats[is_one ? 1 : 0];
}

void CublasLtProduct::launch(const sdk::Launch& launch, const CublasLtOperands& operands) const {
  Device::Stream* stream = sdk::stream_of<Device>(launch.stream());
  Device::require(stream);
  const CurrentContext current(device_);
  device_.faults().enter_launch();
  const auto& chosen = are_aligned(operands) ? *aligned_ : *anywhere_;
  void* const workspace =
      chosen.workspaceSize == 0 ? nullptr : aligned_workspace(launch) + bytes_of_sums();
  CublasLtOperands all = operands;
  if (has_sums()) all.out = results(launch);
  library_.check(enqueue(chosen, all, workspace, stream->handle()), "multiplying by cuBLASLt");
}

cublasStatus_t CublasLtProduct::enqueue(const Algorithm& algorithm,
                                        const CublasLtOperands& operands, void* workspace,
                                        CUstream stream) const {
  cublasLtMatmulDescOpaque_t with_bias;
  cublasLtMatmulDesc_t operation = given(operation_);
  if (epilogue_.bias) {
    describe(with_bias, operands.bias);
    operation = &with_bias;
  }
  const void* const c = epilogue_.residual ? operands.residual : operands.out;
  return library_.library()->cublasLtMatmul(handle_, operation, scalar(true), operands.y, given(a_),
                                            operands.x, given(b_), scalar(epilogue_.residual), c,
                                            given(d_), operands.out, given(d_), &algorithm.algo,
                                            workspace, algorithm.workspaceSize, stream);
}

ProductWithEpilogue make_cublaslt_product(const sdk::Prepare& prepare,
                                          const sdk::MatmulShape& shape,
                                          const WantedEpilogue& wanted) {
  const loci_dtype dtype = prepare.op().output(0).dtype();
  auto& device = sdk::device_of<Device>(prepare.device());
  device.cublaslt().get();  // throws why there is none
  const CurrentContext current(device);
  const CublasLtMatrices matrices = cublaslt_matrices(shape);
  const auto make = [&](const CublasLtEpilogue& epilogue, CublasLtResults results) {
    return ProductWithEpilogue{
        std::make_unique<const CublasLtProduct>(device, dtype, matrices, epilogue, results),
        epilogue};
  };
  try {
    if (may_apply(wanted, dtype, matrices)) return make(wanted.library, CublasLtResults::kOutput);
  } catch (const sdk::Error& error) {
    if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
  }
  const bool is_left = is_there(wanted.library) || !wanted.is_whole;
  return make({},
              is_left && is_half_dtype(dtype) ? CublasLtResults::kSums : CublasLtResults::kOutput);
}

}  // namespace loci::cuda
