// What sums of products end with, where a library leaves that:
//   finish_matmul_DTYPE(sums, out, count, columns, ending)  rows of so many columns
//   finish_conv2d_DTYPE(sums, out, count, plane, channels, ending)  planes of the channels of
//   images
// Sums are in the type that they were computed in, and may be `out` where that has the same.
#include <cstdint>

#include "kernels/activation.cuh"
#include "kernels/block_threads.h"
#include "kernels/conv2d_ending.cuh"
#include "kernels/conv2d_gather.cuh"
#include "kernels/instances.cuh"
#include "kernels/matmul_ending.cuh"

namespace loci::cuda {
namespace {

struct NoActivation {
  template <class C>
  static __device__ C value(C x) {
    return x;
  }
};

// Of float64, which is rare, so that its instructions are there once.
struct CalledActivation {
  template <class C>
  __device__ C value(C x) const {
    return ending::activated(activation, x);
  }
  Activation activation;
};

// visit(function): asked once by a thread, and not for each element.
template <class C, class Visit>
__device__ void with_activation(Activation activation, const Visit& visit) {
  if constexpr (sizeof(C) > sizeof(float)) {
    visit(CalledActivation{activation});
  } else {
    switch (activation) {
      case Activation::kNone: return visit(NoActivation());
      case Activation::kRelu: return visit(Relu());
      case Activation::kSigmoid: return visit(Sigmoid());
      case Activation::kTanh: return visit(Tanh());
      case Activation::kGelu: return visit(Gelu());
      case Activation::kGeluTanh: return visit(GeluTanh());
      case Activation::kHardSigmoid: return visit(HardSigmoid());
      case Activation::kHardSwish: return visit(HardSwish());
    }
  }
}

// As many sums as fill a vector of results.
template <class T>
using Sums = Vector<computed_t<T>, Vector<T>::kLanes>;

template <class T>
__device__ void add_vector(Sums<T>& sums, const void* from, std::int64_t position) {
  const Vector<T> added = load_vector(static_cast<const T*>(from) + position);
#pragma unroll
  for (int i = 0; i < Sums<T>::kLanes; ++i) sums.lanes[i] += Element<T>::widen(added.lanes[i]);
}

// A bias of each column, which may repeat within the rows.
template <class T>
class ProductEnd {
  using C = computed_t<T>;
  static constexpr int kLanes = Sums<T>::kLanes;

 public:
  __device__ ProductEnd(const MatmulEnding& ending, const Divisor& columns)
      : ending_(ending),
        columns_(columns),
        bias_is_vector_(columns.value % kLanes == 0 &&
                        are_vectors(static_cast<const T*>(ending.bias))) {}

  __device__ Activation activation() const { return ending_.activation; }
  __device__ bool takes_vectors() const {
    const bool has_long_rows = ending_.bias == nullptr || columns_.value >= kLanes;
    return has_long_rows && are_vectors(static_cast<const T*>(ending_.residual));
  }
  __device__ void add_to(Sums<T>& sums, std::int64_t position) const {
    if (ending_.bias != nullptr) add_bias(sums, column_of(position));
    if (ending_.residual != nullptr) add_vector<T>(sums, ending_.residual, position);
  }
  __device__ C ended(C sum, std::int64_t position) const {
    return ending::ended<T>(ending_, sum, position, column_of(position), ending_.bias_columns);
  }

 private:
  __device__ std::int64_t column_of(std::int64_t position) const {
    return position - quotient(position, columns_) * columns_.value;
  }
  __device__ void add_bias(Sums<T>& sums, std::int64_t column) const {
    if (bias_is_vector_) return add_vector<T>(sums, ending_.bias, column);
    const T* bias = static_cast<const T*>(ending_.bias);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      const std::int64_t at = column + i;
      sums.lanes[i] += Element<T>::widen(bias[at < columns_.value ? at : at - columns_.value]);
    }
  }

  const MatmulEnding& ending_;
  const Divisor& columns_;
  bool bias_is_vector_;
};

// (sum + bias) * factor + offset: what a channel has of bias and norm.
template <class C>
struct ChannelEnd {
  __device__ C of(C sum) const { return (sum + bias) * factor + offset; }
  C bias;
  C factor;
  C offset;
};

template <class T>
class ConvolutionEnd {
  using C = computed_t<T>;
  static constexpr int kLanes = Sums<T>::kLanes;

 public:
  __device__ ConvolutionEnd(const ConvEnding& ending, const Extent& plane, const Extent& channels)
      : ending_(ending), plane_(plane), channels_(channels) {}

  __device__ Activation activation() const { return ending_.activation; }
  // Which lie in two planes at most.
  __device__ bool takes_vectors() const {
    return plane_.count >= kLanes && are_vectors(static_cast<const T*>(ending_.residual));
  }
  __device__ void add_to(Sums<T>& sums, std::int64_t position) const {
    if (ending_.bias != nullptr || ending_.scale != nullptr) end_channels(sums, position);
    if (ending_.residual != nullptr) add_vector<T>(sums, ending_.residual, position);
  }
  __device__ C ended(C sum, std::int64_t position) const {
    const std::int64_t channel = split(split(position, plane_).outer, channels_).rest;
    return ending::ended<T>(ending_, sum, channel, position);
  }

 private:
  __device__ void end_channels(Sums<T>& sums, std::int64_t position) const {
    const Split at = split(position, plane_);
    const std::int64_t channel = split(at.outer, channels_).rest;
    const std::int64_t left = plane_.count - at.rest;
    const ChannelEnd<C> first = end_of(channel);
    ChannelEnd<C> second = first;
    if (left < kLanes) second = end_of(channel + 1 == channels_.count ? 0 : channel + 1);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      sums.lanes[i] = i < left ? first.of(sums.lanes[i]) : second.of(sums.lanes[i]);
    }
  }
  __device__ ChannelEnd<C> end_of(std::int64_t channel) const {
    ChannelEnd<C> end{0, 1, 0};
    if (ending_.bias != nullptr) end.bias = ending::element_of<T>(ending_.bias, channel);
    if (ending_.scale == nullptr) return end;
    end.factor = ending::norm_factor<T>(ending_, channel);
    end.offset = ending::norm_offset<T>(ending_, channel, end.factor);
    return end;
  }

  const ConvEnding& ending_;
  const Extent& plane_;
  const Extent& channels_;
};

template <class T, class End, class F>
__device__ void finish_vectors(const computed_t<T>* sums, T* out, std::int64_t vectors,
                               const End& end, const F& activation) {
  constexpr int kLanes = Sums<T>::kLanes;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < vectors; i += turn.step) {
    Sums<T> values = load_lanes<kLanes>(sums + i * kLanes);
    end.add_to(values, i * kLanes);
    Vector<T> results;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      results.lanes[lane] = Element<T>::narrow(activation.value(values.lanes[lane]));
    }
    store_vector(out + i * kLanes, results);
  }
}

template <class T, class End>
__device__ void finish(const computed_t<T>* sums, T* out, std::int64_t count, const End& end) {
  constexpr int kLanes = Sums<T>::kLanes;
  const bool has_vectors = is_vector<kLanes>(sums) && are_vectors(out) && end.takes_vectors();
  const std::int64_t vectors = has_vectors ? count / kLanes : 0;
  if (vectors > 0) {
    with_activation<computed_t<T>>(end.activation(), [&](const auto& activation) {
      finish_vectors(sums, out, vectors, end, activation);
    });
  }
  const Turns turn = turns();
  for (std::int64_t i = vectors * kLanes + turn.first; i < count; i += turn.step) {
    out[i] = Element<T>::narrow(end.ended(sums[i], i));
  }
}

}  // namespace

#define LOCI_FINISH(dtype, T, ...)                                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) finish_matmul_##dtype(               \
      const computed_t<T>* sums, T* out, std::int64_t count,                                       \
      const __grid_constant__ Divisor columns, const __grid_constant__ MatmulEnding ending) {      \
    finish(sums, out, count, ProductEnd<T>(ending, columns));                                      \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) finish_conv2d_##dtype(               \
      const computed_t<T>* sums, T* out, std::int64_t count, const __grid_constant__ Extent plane, \
      const __grid_constant__ Extent channels, const __grid_constant__ ConvEnding ending) {        \
    finish(sums, out, count, ConvolutionEnd<T>(ending, plane, channels));                          \
  }

LOCI_FLOATS(LOCI_FINISH)

}  // namespace loci::cuda
