// cuDNN, opened from LOCI_CUDA_CUDNN, and a convolution to call it with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "driver_test.h"

namespace loci::cuda_rules {

// A function by its name; the library is opened by the first call. Throws where it is not there.
void* cudnn_function(const char* name);

// Calls a function whose arguments have these types, and gives its status.
template <class... Args>
int cudnn(const char* name, Args... arguments) {
  return reinterpret_cast<int (*)(Args...)>(cudnn_function(name))(arguments...);
}

// "CUDNN_STATUS_BAD_PARAM".
std::string cudnn_status(int status);
// Throws what came instead of success.
void must_convolve(int status);

inline constexpr int kFloatType = 0;
inline constexpr int kRelu = 1;
inline constexpr int kIdentity = 5;
inline constexpr int kFmaMath = 3;

struct AlgorithmAnswer {
  int algorithm;
  int status;
  float time;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

// One image of [1, 3, 3] by one filter of [1, 2, 2], of float32.
class SmallConvolution {
 public:
  SmallConvolution();
  ~SmallConvolution();
  SmallConvolution(const SmallConvolution&) = delete;
  SmallConvolution& operator=(const SmallConvolution&) = delete;

  void set_result(int height, int width) const;
  [[nodiscard]] std::vector<AlgorithmAnswer> forward_algorithms() const;
  [[nodiscard]] std::vector<AlgorithmAnswer> filter_algorithms() const;
  [[nodiscard]] int forward(int algorithm) const;
  // With a residual and a bias.
  [[nodiscard]] int forward_ending(int algorithm, int activation, CUdeviceptr residual,
                                   CUdeviceptr bias) const;
  // `y` is the gradient of the result, and `out` that of the image or of the filter.
  [[nodiscard]] int image_grad(CUdeviceptr out) const;
  [[nodiscard]] int filter_grad(CUdeviceptr out) const;

  void* handle = nullptr;
  CUdeviceptr x = 0;
  CUdeviceptr w = 0;
  CUdeviceptr y = 0;
  CUdeviceptr workspace = 0;
  std::size_t workspace_bytes = 0;
  float alpha = 1;
  float beta = 0;

 private:
  void* image_ = nullptr;
  void* filter_ = nullptr;
  void* convolution_ = nullptr;
  void* result_ = nullptr;
};

}  // namespace loci::cuda_rules
