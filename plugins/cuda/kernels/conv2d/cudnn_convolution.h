// A convolution as cuDNN computes it: described, and with the algorithm that its heuristics chose
// for the shape, once; or with LOCI_CUDA_TUNE=1 the fastest of those that they name, by trying
// them.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "cudnn_handles.h"
#include "driver.h"

namespace loci::cuda {

class Device;

enum class ConvPass { kForward, kImageGrad, kFilterGrad };

// The part of an operator's epilogue that the library applies within its launch, which always has a
// bias: zeros where the operator has none.
struct CudnnEpilogue {
  bool is_fused = false;
  bool bias = false;
  bool residual = false;
  bool relu = false;
};

// The addresses of a launch. Those of the epilogue are null where there is none.
struct CudnnOperands {
  const void* x;      // or the gradient of the result, where it is the image's that is computed
  const void* other;  // the filter, or the gradient of the result
  const void* bias;
  const void* residual;
  void* out;
  char* workspace;  // aligned
};

// The bytes of each tensor of a convolution.
struct ConvBytes {
  std::uint64_t image;
  std::uint64_t filter;
  std::uint64_t result;
};

// Immutable, so that several threads may enqueue it at once.
class CudnnConvolution {
 public:
  // The device's context is current. Throws Error(LOCI_CODE_UNSUPPORTED) that says why the library
  // does not compute it, or not in one order of its sums.
  CudnnConvolution(Device& device, ConvPass pass, loci_dtype dtype, const sdk::ConvShape& shape,
                   const CudnnEpilogue& epilogue);

  // Bytes that a launch gives as workspace.
  [[nodiscard]] std::uint64_t workspace() const { return chosen_.workspace + zeros_; }
  [[nodiscard]] const CudnnEpilogue& epilogue() const { return epilogue_; }
  // Returns the bytes of zeros that a launch's workspace begins with; 0 if it needs none.
  [[nodiscard]] std::uint64_t zeros() const { return zeros_; }
  // 0, or the status by which the library refused, having enqueued nothing. The context is
  // current. Throws Error for any other.
  [[nodiscard]] cudnn::Status enqueue(const CudnnOperands& operands, CUstream stream) const;

 private:
  template <class Opaque>
  using Owned = std::unique_ptr<Opaque, cudnn::Status (*)(Opaque*)>;

  template <class Opaque>
  Owned<Opaque> make(cudnn::Status (*create)(Opaque**), cudnn::Status (*destroy)(Opaque*)) const;
  void describe(loci_dtype dtype, const sdk::ConvShape& shape);
  void describe_epilogue(cudnn::DataType type, int filters);
  [[nodiscard]] cudnn::Choice choose(Device& device, loci_dtype dtype, const sdk::ConvShape& shape);
  [[nodiscard]] std::vector<cudnn::AlgorithmResult> ask_heuristics() const;
  // Best first, as the heuristics see it: so many of those that may be taken.
  [[nodiscard]] std::vector<cudnn::Choice> candidates(loci_dtype dtype, const sdk::ConvShape& shape,
                                                      std::size_t most) const;
  // The first where there is no memory to try them in.
  [[nodiscard]] cudnn::Choice fastest(const std::vector<cudnn::Choice>& candidates, Device& device,
                                      const ConvBytes& bytes) const;
  [[nodiscard]] std::vector<float> times_of(const std::vector<cudnn::Choice>& candidates,
                                            Device& device, const ConvBytes& bytes) const;
  void set_math(cudnn::MathType math) const;
  // None where the library does not say.
  [[nodiscard]] std::optional<std::size_t> workspace_of(cudnn::Algorithm algorithm) const;
  // Throws Error(LOCI_CODE_UNSUPPORTED) where the library does not take what it was told.
  void require(cudnn::Status status, const char* action) const;
  [[nodiscard]] cudnn::Status run(cudnn::Handle handle, const cudnn::Choice& choice,
                                  const CudnnOperands& operands, char* workspace) const;

  CudnnHandles& handles_;
  const CudnnLibrary& library_;
  const ConvPass pass_;
  const CudnnEpilogue epilogue_;
  Owned<cudnn::TensorOpaque> image_;
  Owned<cudnn::FilterOpaque> filter_;
  Owned<cudnn::TensorOpaque> result_;
  Owned<cudnn::ConvolutionOpaque> convolution_;
  Owned<cudnn::TensorOpaque> bias_;
  Owned<cudnn::ActivationOpaque> activation_;
  std::uint64_t zeros_ = 0;
  cudnn::Choice chosen_;
};

}  // namespace loci::cuda
