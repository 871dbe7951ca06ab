// The functions of cuDNN that the double has.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tools/cuda_double/cudnn/calls.h"
#include "tools/cuda_double/cudnn/enqueue.h"
#include "tools/cuda_double/cudnn/settings.h"

using namespace loci::cudnn_double;  // NOLINT: all that follows is the API

namespace {

const char* status_name(int status) {
  switch (status) {
    case kSuccess: return "CUDNN_STATUS_SUCCESS";
    case kNotInitialized: return "CUDNN_STATUS_NOT_INITIALIZED";
    case kSublibraryVersionMismatch: return "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH";
    case kBadParameter: return "CUDNN_STATUS_BAD_PARAM";
    case kMisalignedPointer: return "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER";
    case kSizeInsufficient: return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case kNotSupported: return "CUDNN_STATUS_NOT_SUPPORTED";
    case kInternalError: return "CUDNN_STATUS_INTERNAL_ERROR";
    case kExecutionFailedDriver: return "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER";
    default: return "CUDNN_STATUS_UNKNOWN";
  }
}

void tell(const char* call, int status, const char* why) {
  fmt::print(stderr, "[cuda double] {}: {}: {}\n", call, status_name(status), why);
}

template <class Body>
int enter(const char* name, Body&& body) noexcept {
  try {
    count_call(name);
    body();
    return kSuccess;
  } catch (const Refusal& refusal) {
    if (refusal.is_mistake()) tell(name, refusal.status(), refusal.what());
    return refusal.status();
  } catch (const std::exception& error) {
    tell(name, kInternalError, error.what());
    return kInternalError;
  }
}

void refuse_where_set(const char* what) {
  require_supported(settings().refused != what, "the settings refuse it");
}

template <class Descriptor, class Fields>
int set(const char* name, Descriptor* descriptor, Fields&& fields) {
  return enter(name, [&] {
    made(descriptor);
    fields(*descriptor);
    descriptor->is_set = true;
  });
}

void require_extents(const std::array<int, 4>& extents) {
  for (const int extent : extents) require(extent > 0, fmt::format("an extent is {}", extent));
}

// Names and parameters are the vendor's from here on.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size)
int heuristics(const char* name, Handle* handle, Pass pass, Tensor* image, Filter* filter,
               Convolution* convolution, Tensor* result, int wanted, int* count, Result* results) {
  return enter(name, [&] {
    const Handle::Use use(handle);
    const Problem problem = problem_of(pass, image, filter, convolution, result);
    refuse_where_set("heuristics");
    const std::vector<Result> found = algorithms_for(problem);
    *count = std::min(wanted, static_cast<int>(found.size()));
    std::copy_n(found.begin(), *count, results);
  });
}

int workspace_bytes(const char* name, Handle* handle, Pass pass, Tensor* image, Filter* filter,
                    Convolution* convolution, Tensor* result, int algorithm, std::size_t* bytes) {
  return enter(name, [&] {
    const Handle::Use use(handle);
    *bytes = workspace_of(problem_of(pass, image, filter, convolution, result), algorithm);
  });
}

void convolve(Handle* handle, const Problem& problem, int algorithm, const Operands& operands,
              const Ending* ending = nullptr) {
  const Handle::Use use(handle);
  enter_convolution();
  refuse_where_set("launch");
  if (ending != nullptr) refuse_where_set("fused");
  enqueue_convolution(use, problem, algorithm, operands, ending);
}

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() { return settings().version; }
std::size_t cudnnGetCudartVersion() { return settings().cudart; }
const char* cudnnGetErrorString(int status) { return status_name(status); }

int cudnnGraphVersionCheck() { return kSuccess; }
int cudnnOpsVersionCheck() { return kSuccess; }
int cudnnCnnVersionCheck() {
  return settings().has_mixed_parts ? kSublibraryVersionMismatch : kSuccess;
}

int cudnnCreate(Handle** handle) {
  return enter(__func__, [&] {
    require(handle != nullptr, "there is no place for the handle");
    refuse_where_set("create");
    *handle = Handle::create();
  });
}

int cudnnDestroy(Handle* handle) {
  return enter(__func__, [&] { Handle::destroy(handle); });
}

int cudnnSetStream(Handle* handle, CUstream stream) {
  return enter(__func__, [&] { Handle::Use(handle).set_stream(stream); });
}

int cudnnCreateTensorDescriptor(Tensor** place) {
  return enter(__func__, [&] { create(place); });
}
int cudnnDestroyTensorDescriptor(Tensor* descriptor) {
  return enter(__func__, [&] { destroy(descriptor); });
}
int cudnnSetTensor4dDescriptor(Tensor* descriptor, int format, int type, int n, int c, int h,
                               int w) {
  return set(__func__, descriptor, [&](Tensor& tensor) {
    require_supported(format == kNchw, "the double has no other order than images by planes");
    require_extents({n, c, h, w});
    tensor.type = type;
    tensor.extents = {n, c, h, w};
  });
}

int cudnnCreateFilterDescriptor(Filter** place) {
  return enter(__func__, [&] { create(place); });
}
int cudnnDestroyFilterDescriptor(Filter* descriptor) {
  return enter(__func__, [&] { destroy(descriptor); });
}
int cudnnSetFilter4dDescriptor(Filter* descriptor, int type, int format, int k, int c, int h,
                               int w) {
  return set(__func__, descriptor, [&](Filter& filter) {
    require_supported(format == kNchw, "the double has no other order than filters by planes");
    require_extents({k, c, h, w});
    filter.type = type;
    filter.extents = {k, c, h, w};
  });
}

int cudnnCreateConvolutionDescriptor(Convolution** place) {
  return enter(__func__, [&] { create(place); });
}
int cudnnDestroyConvolutionDescriptor(Convolution* descriptor) {
  return enter(__func__, [&] { destroy(descriptor); });
}
int cudnnSetConvolution2dDescriptor(Convolution* descriptor, int padding_h, int padding_w,
                                    int stride_h, int stride_w, int dilation_h, int dilation_w,
                                    int mode, int compute) {
  return set(__func__, descriptor, [&](Convolution& convolution) {
    require_supported(mode == kCrossCorrelation, "the double does not turn filters");
    require(padding_h >= 0 && padding_w >= 0, "a padding is negative");
    require_extents({stride_h, stride_w, dilation_h, dilation_w});
    convolution.padding = {padding_h, padding_w};
    convolution.stride = {stride_h, stride_w};
    convolution.dilation = {dilation_h, dilation_w};
    convolution.compute = compute;
  });
}
int cudnnSetConvolutionGroupCount(Convolution* descriptor, int groups) {
  return enter(__func__, [&] {
    require(groups > 0, fmt::format("there are {} groups", groups));
    made(descriptor).groups = groups;
  });
}
int cudnnSetConvolutionMathType(Convolution* descriptor, int math) {
  return enter(__func__, [&] {
    require(math == kDefaultMath || math == kTensorMath || math == kFmaMath,
            fmt::format("there is no arithmetic {}", math));
    made(descriptor).math = math;
  });
}

int cudnnCreateActivationDescriptor(Activation** place) {
  return enter(__func__, [&] { create(place); });
}
int cudnnDestroyActivationDescriptor(Activation* descriptor) {
  return enter(__func__, [&] { destroy(descriptor); });
}
int cudnnSetActivationDescriptor(Activation* descriptor, int mode, int nan_propagation, double) {
  return set(__func__, descriptor, [&](Activation& activation) {
    require_supported(nan_propagation == 1, "the double propagates what is not a number");
    activation.mode = mode;
  });
}

int cudnnGetConvolutionForwardAlgorithm_v7(Handle* handle, Tensor* image, Filter* filter,
                                           Convolution* convolution, Tensor* result, int wanted,
                                           int* count, Result* results) {
  return heuristics(__func__, handle, Pass::kForward, image, filter, convolution, result, wanted,
                    count, results);
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle* handle, Filter* filter, Tensor* result,
                                                Convolution* convolution, Tensor* image, int wanted,
                                                int* count, Result* results) {
  return heuristics(__func__, handle, Pass::kImageGrad, image, filter, convolution, result, wanted,
                    count, results);
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle* handle, Tensor* image, Tensor* result,
                                                  Convolution* convolution, Filter* filter,
                                                  int wanted, int* count, Result* results) {
  return heuristics(__func__, handle, Pass::kFilterGrad, image, filter, convolution, result, wanted,
                    count, results);
}

int cudnnGetConvolutionForwardWorkspaceSize(Handle* handle, Tensor* image, Filter* filter,
                                            Convolution* convolution, Tensor* result, int algorithm,
                                            std::size_t* bytes) {
  return workspace_bytes(__func__, handle, Pass::kForward, image, filter, convolution, result,
                         algorithm, bytes);
}
int cudnnGetConvolutionBackwardDataWorkspaceSize(Handle* handle, Filter* filter, Tensor* result,
                                                 Convolution* convolution, Tensor* image,
                                                 int algorithm, std::size_t* bytes) {
  return workspace_bytes(__func__, handle, Pass::kImageGrad, image, filter, convolution, result,
                         algorithm, bytes);
}
int cudnnGetConvolutionBackwardFilterWorkspaceSize(Handle* handle, Tensor* image, Tensor* result,
                                                   Convolution* convolution, Filter* filter,
                                                   int algorithm, std::size_t* bytes) {
  return workspace_bytes(__func__, handle, Pass::kFilterGrad, image, filter, convolution, result,
                         algorithm, bytes);
}

int cudnnConvolutionForward(Handle* handle, const void* alpha, Tensor* image, const void* x,
                            Filter* filter, const void* w, Convolution* convolution, int algorithm,
                            void* workspace, std::size_t workspace_bytes, const void* beta,
                            Tensor* result, void* y) {
  return enter(__func__, [&] {
    const Operands operands{x, w, nullptr, y, alpha, beta, workspace, workspace_bytes};
    convolve(handle, problem_of(Pass::kForward, image, filter, convolution, result), algorithm,
             operands);
  });
}

int cudnnConvolutionBiasActivationForward(Handle* handle, const void* alpha, Tensor* image,
                                          const void* x, Filter* filter, const void* w,
                                          Convolution* convolution, int algorithm, void* workspace,
                                          std::size_t workspace_bytes, const void* beta,
                                          Tensor* residual, const void* z, Tensor* bias,
                                          const void* b, Activation* activation, Tensor* result,
                                          void* y) {
  return enter(__func__, [&] {
    const Operands operands{x, w, nullptr, y, alpha, beta, workspace, workspace_bytes};
    const Problem problem = problem_of(Pass::kForward, image, filter, convolution, result);
    require(
        given(residual).extents == problem.result.extents && residual->type == problem.result.type,
        "the residual is not like the result");
    require(given(bias).extents == std::array{1, problem.filter.extents[0], 1, 1} &&
                bias->type == problem.result.type,
            "the bias has not one element for each filter");
    const Ending ending{z, b, given(activation).mode};
    convolve(handle, problem, algorithm, operands, &ending);
  });
}

int cudnnConvolutionBackwardData(Handle* handle, const void* alpha, Filter* filter, const void* w,
                                 Tensor* result, const void* dy, Convolution* convolution,
                                 int algorithm, void* workspace, std::size_t workspace_bytes,
                                 const void* beta, Tensor* image, void* dx) {
  return enter(__func__, [&] {
    const Operands operands{nullptr, w, dy, dx, alpha, beta, workspace, workspace_bytes};
    convolve(handle, problem_of(Pass::kImageGrad, image, filter, convolution, result), algorithm,
             operands);
  });
}

int cudnnConvolutionBackwardFilter(Handle* handle, const void* alpha, Tensor* image, const void* x,
                                   Tensor* result, const void* dy, Convolution* convolution,
                                   int algorithm, void* workspace, std::size_t workspace_bytes,
                                   const void* beta, Filter* filter, void* dw) {
  return enter(__func__, [&] {
    const Operands operands{x, nullptr, dy, dw, alpha, beta, workspace, workspace_bytes};
    convolve(handle, problem_of(Pass::kFilterGrad, image, filter, convolution, result), algorithm,
             operands);
  });
}

// For tests; see calls.h.
unsigned long long loci_cudnn_double_call_count(const char* function) {
  return call_count(function);
}
void loci_cudnn_double_plan_failure(unsigned long long n, int status) { plan_failure(n, status); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
