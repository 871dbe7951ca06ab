// A product as cuBLASLt computes it: described, and with the algorithm that its heuristics chose
// for the shape, once; or with LOCI_CUDA_TUNE=1 the fastest of those that they name, by trying
// them.
#pragma once

#include <cublasLt.h>
#include <cuda.h>

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/matmul.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/epilogue/activation.h"
#include "kernels/matmul/cublaslt_matrices.h"

namespace loci::cuda {

class CublasLtHandle;
class Device;

// The part of an operator's epilogue that the library applies behind its product.
struct CublasLtEpilogue {
  bool bias = false;
  bool residual = false;  // as its matrix C
  Activation activation = Activation::kNone;
};

[[nodiscard]] bool is_half_dtype(loci_dtype dtype);

// Where a product leaves its results. Sums are float32, those of halves, for a kernel behind it to
// end and to round.
enum class CublasLtResults { kOutput, kSums };

// The addresses of a launch; bias and residual are read only where the product has them, and sums
// are not in `out`.
struct CublasLtOperands {
  const void* x;
  const void* y;
  void* out;
  const void* bias = nullptr;
  const void* residual = nullptr;
};

// Immutable; descriptors stay where they were initialised.
class CublasLtProduct {
 public:
  // The device's context is current. Throws Error(LOCI_CODE_UNSUPPORTED) where the library has no
  // algorithm.
  CublasLtProduct(Device& device, loci_dtype dtype, const CublasLtMatrices& matrices,
                  const CublasLtEpilogue& epilogue, CublasLtResults results);
  CublasLtProduct(const CublasLtProduct&) = delete;
  CublasLtProduct& operator=(const CublasLtProduct&) = delete;

  // Bytes that a launch gives as workspace.
  [[nodiscard]] std::uint64_t workspace() const;
  // Where a launch has the sums; its first output unless there are any.
  [[nodiscard]] void* results(const sdk::Launch& launch) const;
  // Returns true if it takes operands that lie at any element.
  [[nodiscard]] bool takes_any_address() const { return anywhere_.has_value(); }
  // Returns true if it takes these operands.
  [[nodiscard]] bool takes(const CublasLtOperands& operands) const {
    return takes_any_address() || are_aligned(operands);
  }
  // Enqueues it. Throws Error.
  void launch(const sdk::Launch& launch, const CublasLtOperands& operands) const;

 private:
  [[nodiscard]] std::uint64_t bytes_of(const CublasLtMatrix& matrix, loci_dtype dtype) const;
  // Returns true if sums lie at the beginning of a launch's workspace, in so many bytes.
  [[nodiscard]] bool has_sums() const { return result_dtype_ != dtype_; }
  [[nodiscard]] std::uint64_t bytes_of_sums() const;
  // Returns what tells it from all others for which the library may name other algorithms.
  [[nodiscard]] std::string key(std::uint32_t alignment) const;
  void describe(cublasLtMatrixLayoutOpaque_t& layout, const CublasLtMatrix& matrix,
                loci_dtype dtype) const;
  void describe(cublasLtMatmulDescOpaque_t& operation, const void* bias) const;
  using Algorithm = cublasLtMatmulHeuristicResult_t;
  [[nodiscard]] std::optional<Algorithm> choose(std::uint32_t alignment);
  // Returns algorithms ordered by the library's estimate, the best first.
  [[nodiscard]] std::vector<Algorithm> candidates(std::uint32_t alignment, int most);
  // The first where there is no memory to try them in.
  [[nodiscard]] const Algorithm& fastest(const std::vector<Algorithm>& candidates) const;
  [[nodiscard]] std::vector<float> times_of(const std::vector<Algorithm>& candidates) const;
  [[nodiscard]] cublasStatus_t enqueue(const Algorithm& algorithm, const CublasLtOperands& operands,
                                       void* workspace, CUstream stream) const;
  // Returns true if the operands lie where an algorithm of all products takes them.
  [[nodiscard]] bool are_aligned(const CublasLtOperands& operands) const;
  [[nodiscard]] const void* scalar(bool is_one) const;
  [[nodiscard]] cublasLtEpilogue_t lt_epilogue() const;

  Device& device_;
  CublasLtHandle& library_;
  const cublasLtHandle_t handle_;
  const CublasLtEpilogue epilogue_;
  const loci_dtype dtype_;
  const loci_dtype result_dtype_;
  const cudaDataType_t scale_type_;
  const cublasComputeType_t compute_type_;
  const CublasLtMatrices matrices_;
  cublasLtMatmulDescOpaque_t operation_;
  cublasLtMatrixLayoutOpaque_t a_;
  cublasLtMatrixLayoutOpaque_t b_;
  cublasLtMatrixLayoutOpaque_t d_;  // and C, which lies as D
  std::optional<Algorithm> aligned_;
  std::optional<Algorithm> anywhere_;
};

// The epilogue of an operator whose product is wanted.
struct WantedEpilogue {
  CublasLtEpilogue library;  // what of it the library may do
  bool is_whole;             // whether that is all of it
};

// A product of the device's, for results of the operator's dtype, and what it does of the epilogue.
// That is none where the library has no algorithm that does it; and of halves unless it does the
// whole and rounds once. Then results are sums, if there is an epilogue.
struct ProductWithEpilogue {
  std::unique_ptr<const CublasLtProduct> product;
  CublasLtEpilogue done;
};
// Throws Error(LOCI_CODE_UNSUPPORTED) that says why there is no product.
[[nodiscard]] ProductWithEpilogue make_cublaslt_product(const sdk::Prepare& prepare,
                                                        const sdk::MatmulShape& shape,
                                                        const WantedEpilogue& wanted);

}  // namespace loci::cuda
