#include "cudnn_table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace loci::cuda_rules {
namespace {

constexpr int kWanted = 8;

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

std::vector<AlgorithmAnswer> algorithms(const char* function, void* handle, void* first,
                                        void* second, void* convolution, void* out) {
  std::vector<AlgorithmAnswer> answers(kWanted);
  int count = 0;
  must_convolve(
      cudnn(function, handle, first, second, convolution, out, kWanted, &count, answers.data()));
  answers.resize(static_cast<std::size_t>(count));
  return answers;
}

}  // namespace

void* cudnn_function(const char* name) {
  static void* const library = [] {
    const char* path = std::getenv("LOCI_CUDA_CUDNN");
    void* opened = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(path == nullptr ? "no path" : dlerror());
    return opened;
  }();
  void* found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("there is no ") + name);
  return found;
}

std::string cudnn_status(int status) {
  return reinterpret_cast<const char* (*)(int)>(cudnn_function("cudnnGetErrorString"))(status);
}

void must_convolve(int status) {
  if (status != 0) throw std::runtime_error(cudnn_status(status));
}

SmallConvolution::SmallConvolution() {
  must_convolve(cudnn("cudnnCreate", &handle));
  must_convolve(cudnn("cudnnCreateTensorDescriptor", &image_));
  must_convolve(cudnn("cudnnCreateFilterDescriptor", &filter_));
  must_convolve(cudnn("cudnnCreateConvolutionDescriptor", &convolution_));
  must_convolve(cudnn("cudnnCreateTensorDescriptor", &result_));
  must_convolve(cudnn("cudnnSetTensor4dDescriptor", image_, 0, kFloatType, 1, 1, 3, 3));
  must_convolve(cudnn("cudnnSetFilter4dDescriptor", filter_, kFloatType, 0, 1, 1, 2, 2));
  must_convolve(cudnn("cudnnSetConvolution2dDescriptor", convolution_, 0, 0, 1, 1, 1, 1,
                      /*cross-correlation*/ 1, kFloatType));
  must_convolve(cudnn("cudnnSetConvolutionMathType", convolution_, kFmaMath));
  set_result(2, 2);
}

SmallConvolution::~SmallConvolution() {
  cudnn("cudnnDestroyTensorDescriptor", image_);
  cudnn("cudnnDestroyFilterDescriptor", filter_);
  cudnn("cudnnDestroyConvolutionDescriptor", convolution_);
  cudnn("cudnnDestroyTensorDescriptor", result_);
  cudnn("cudnnDestroy", handle);
}

void SmallConvolution::set_result(int height, int width) const {
  must_convolve(cudnn("cudnnSetTensor4dDescriptor", result_, 0, kFloatType, 1, 1, height, width));
}

std::vector<AlgorithmAnswer> SmallConvolution::forward_algorithms() const {
  return algorithms("cudnnGetConvolutionForwardAlgorithm_v7", handle, image_, filter_, convolution_,
                    result_);
}

std::vector<AlgorithmAnswer> SmallConvolution::filter_algorithms() const {
  return algorithms("cudnnGetConvolutionBackwardFilterAlgorithm_v7", handle, image_, result_,
                    convolution_, filter_);
}

int SmallConvolution::forward(int algorithm) const {
  return cudnn("cudnnConvolutionForward", handle, static_cast<const void*>(&alpha), image_, at(x),
               filter_, at(w), convolution_, algorithm, at(workspace), workspace_bytes,
               static_cast<const void*>(&beta), result_, at(y));
}

int SmallConvolution::forward_ending(int algorithm, int mode, CUdeviceptr residual,
                                     CUdeviceptr bias) const {
  void* activation = nullptr;
  must_convolve(cudnn("cudnnCreateActivationDescriptor", &activation));
  must_convolve(cudnn("cudnnSetActivationDescriptor", activation, mode, 1, 0.0));
  void* bias_form = nullptr;
  must_convolve(cudnn("cudnnCreateTensorDescriptor", &bias_form));
  must_convolve(cudnn("cudnnSetTensor4dDescriptor", bias_form, 0, kFloatType, 1, 1, 1, 1));
  const int status =
      cudnn("cudnnConvolutionBiasActivationForward", handle, static_cast<const void*>(&alpha),
            image_, at(x), filter_, at(w), convolution_, algorithm, at(workspace), workspace_bytes,
            static_cast<const void*>(&beta), result_, at(residual), bias_form, at(bias), activation,
            result_, at(y));
  cudnn("cudnnDestroyActivationDescriptor", activation);
  cudnn("cudnnDestroyTensorDescriptor", bias_form);
  return status;
}

int SmallConvolution::image_grad(CUdeviceptr out) const {
  return cudnn("cudnnConvolutionBackwardData", handle, static_cast<const void*>(&alpha), filter_,
               at(w), result_, at(y), convolution_, 1, at(workspace), workspace_bytes,
               static_cast<const void*>(&beta), image_, at(out));
}

int SmallConvolution::filter_grad(CUdeviceptr out) const {
  return cudnn("cudnnConvolutionBackwardFilter", handle, static_cast<const void*>(&alpha), image_,
               at(x), result_, at(y), convolution_, 1, at(workspace), workspace_bytes,
               static_cast<const void*>(&beta), filter_, at(out));
}

}  // namespace loci::cuda_rules
