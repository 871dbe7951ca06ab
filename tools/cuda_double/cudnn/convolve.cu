// The convolutions of the double of cuDNN, one thread for each part of a result:
// convolve_TYPE(call), and add_parts_TYPE(call) behind it where sums are computed in parts.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tools/cuda_double/cudnn/convolve_call.h"

namespace loci::cudnn_double {
namespace {

// Products of TF32 use 10 bits of the fraction, rounded to the nearest.
__device__ float operand(float value, bool is_tf32) {
  constexpr unsigned kHalf = 1U << 12;
  if (!is_tf32) return value;
  return __uint_as_float((__float_as_uint(value) + kHalf) & ~(2 * kHalf - 1));
}

template <class T>
__device__ float load(std::uint64_t array, std::int64_t index, const ConvolveCall& call) {
  return operand(static_cast<float>(reinterpret_cast<const T*>(array)[index]), call.is_tf32 != 0);
}

// A position in four extents, the last one the innermost.
struct Place {
  std::int64_t at[4];
};

__device__ Place place_of(std::int64_t index, std::int64_t b, std::int64_t c, std::int64_t d) {
  return {{index / d / c / b, index / d / c % b, index / d % c, index % d}};
}

__device__ std::int64_t index_of(const Place& place, std::int64_t b, std::int64_t c,
                                 std::int64_t d) {
  return ((place.at[0] * b + place.at[1]) * c + place.at[2]) * d + place.at[3];
}

__device__ std::int64_t image_index(const ConvolveCall& call, const Place& place) {
  return index_of(place, call.groups * call.group_channels, call.height.input, call.width.input);
}

__device__ std::int64_t filter_index(const ConvolveCall& call, const Place& place) {
  return index_of(place, call.group_channels, call.height.kernel, call.width.kernel);
}

__device__ std::int64_t result_index(const ConvolveCall& call, const Place& place) {
  return index_of(place, call.groups * call.group_filters, call.height.output, call.width.output);
}

// The element that a window has under its tap; -1 if that is padding.
__device__ std::int64_t element_of(const CallAxis& axis, std::int64_t window, std::int64_t tap) {
  const std::int64_t element = window * axis.stride - axis.padding + tap * axis.dilation;
  return element < axis.input ? element : -1;
}

// The window that has an element under its tap; -1 if there is none.
__device__ std::int64_t window_of(const CallAxis& axis, std::int64_t element, std::int64_t tap) {
  const std::int64_t first = element + axis.padding - tap * axis.dilation;
  if (first < 0 || first % axis.stride != 0) return -1;
  return first / axis.stride < axis.output ? first / axis.stride : -1;
}

struct Factors {
  float one = 0;
  float other = 0;
};

template <class T>
__device__ Factors forward_term(const ConvolveCall& call, std::int64_t i, std::int64_t term) {
  const Place out =
      place_of(i, call.groups * call.group_filters, call.height.output, call.width.output);
  const Place tap = place_of(term, call.group_channels, call.height.kernel, call.width.kernel);
  const std::int64_t h = element_of(call.height, out.at[2], tap.at[2]);
  const std::int64_t w = element_of(call.width, out.at[3], tap.at[3]);
  if (h < 0 || w < 0) return {};
  const std::int64_t channel = out.at[1] / call.group_filters * call.group_channels + tap.at[1];
  return {load<T>(call.image, image_index(call, {{out.at[0], channel, h, w}}), call),
          load<T>(call.filter, filter_index(call, {{out.at[1], tap.at[1], tap.at[2], tap.at[3]}}),
                  call)};
}

template <class T>
__device__ Factors image_grad_term(const ConvolveCall& call, std::int64_t i, std::int64_t term) {
  const Place out =
      place_of(i, call.groups * call.group_channels, call.height.input, call.width.input);
  const Place tap = place_of(term, call.group_filters, call.height.kernel, call.width.kernel);
  const std::int64_t h = window_of(call.height, out.at[2], tap.at[2]);
  const std::int64_t w = window_of(call.width, out.at[3], tap.at[3]);
  if (h < 0 || w < 0) return {};
  const std::int64_t filter = out.at[1] / call.group_channels * call.group_filters + tap.at[1];
  const std::int64_t channel = out.at[1] % call.group_channels;
  return {
      load<T>(call.result, result_index(call, {{out.at[0], filter, h, w}}), call),
      load<T>(call.filter, filter_index(call, {{filter, channel, tap.at[2], tap.at[3]}}), call)};
}

template <class T>
__device__ Factors filter_grad_term(const ConvolveCall& call, std::int64_t i, std::int64_t term) {
  const Place out = place_of(i, call.group_channels, call.height.kernel, call.width.kernel);
  const Place window = place_of(term, 1, call.height.output, call.width.output);
  const std::int64_t h = element_of(call.height, window.at[2], out.at[2]);
  const std::int64_t w = element_of(call.width, window.at[3], out.at[3]);
  if (h < 0 || w < 0) return {};
  const std::int64_t channel = out.at[0] / call.group_filters * call.group_channels + out.at[1];
  return {
      load<T>(call.result,
              result_index(call, {{window.at[0], out.at[0], window.at[2], window.at[3]}}), call),
      load<T>(call.image, image_index(call, {{window.at[0], channel, h, w}}), call)};
}

template <class T>
__device__ Factors term_of(const ConvolveCall& call, std::int64_t i, std::int64_t term) {
  switch (call.pass) {
    case CallPass::kImageGrad: return image_grad_term<T>(call, i, term);
    case CallPass::kFilterGrad: return filter_grad_term<T>(call, i, term);
    default: return forward_term<T>(call, i, term);
  }
}

template <class T>
__device__ void store(const ConvolveCall& call, std::int64_t i, float sum) {
  T* const out = reinterpret_cast<T*>(call.out);
  float value = call.alpha * sum;
  if (call.beta != 0) value = fmaf(call.beta, static_cast<float>(out[i]), value);
  if (call.residual_factor != 0) {
    value = fmaf(call.residual_factor,
                 static_cast<float>(reinterpret_cast<const T*>(call.residual)[i]), value);
  }
  if (call.bias != 0) {
    const std::int64_t channel =
        i / (call.height.output * call.width.output) % (call.groups * call.group_filters);
    value += static_cast<float>(reinterpret_cast<const T*>(call.bias)[channel]);
  }
  if (call.is_relu != 0 && value < 0) value = 0;
  out[i] = static_cast<T>(value);
}

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

template <class T>
__device__ void convolve(const ConvolveCall& call) {
  const std::int64_t each = (call.terms + call.parts - 1) / call.parts;
  for (std::int64_t i = first_index(); i < call.parts * call.results; i += index_step()) {
    const std::int64_t begin = min(i / call.results * each, call.terms);
    const std::int64_t end = min(begin + each, call.terms);
    float sum = 0;
    for (std::int64_t term = begin; term < end; ++term) {
      const Factors factors = term_of<T>(call, i % call.results, term);
      sum = fmaf(factors.one, factors.other, sum);
    }
    if (call.parts == 1) {
      store<T>(call, i, sum);
    } else {
      reinterpret_cast<float*>(call.workspace)[i] = sum;
    }
  }
}

template <class T>
__device__ void add_parts(const ConvolveCall& call) {
  const auto* sums = reinterpret_cast<const float*>(call.workspace);
  for (std::int64_t i = first_index(); i < call.results; i += index_step()) {
    float sum = 0;
    for (std::int64_t part = 0; part < call.parts; ++part) sum += sums[part * call.results + i];
    store<T>(call, i, sum);
  }
}

}  // namespace

#define LOCI_CONVOLVE(type, T)                                                             \
  extern "C" __global__ void convolve_##type(const __grid_constant__ ConvolveCall call) {  \
    convolve<T>(call);                                                                     \
  }                                                                                        \
  extern "C" __global__ void add_parts_##type(const __grid_constant__ ConvolveCall call) { \
    add_parts<T>(call);                                                                    \
  }

LOCI_CONVOLVE(f32, float)
LOCI_CONVOLVE(f16, __half)
LOCI_CONVOLVE(bf16, __nv_bfloat16)

}  // namespace loci::cudnn_double
