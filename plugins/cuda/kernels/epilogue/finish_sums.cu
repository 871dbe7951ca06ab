// The epilogues of products whose sums a library leaves:
//   finish_matmul_DTYPE(sums, out, count, columns, epilogue)  rows of so many columns
//   finish_conv2d_DTYPE(sums, out, count, plane, channels, epilogue)  planes of the channels of
//   images
// Sums are in the type that they were computed in, and may be `out` where that has the same.
#include <cstdint>

#include "kernels/conv2d/conv2d_epilogue.cuh"
#include "kernels/conv2d/conv2d_gather.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/epilogue/activation.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/matmul/matmul_epilogue.cuh"

namespace loci::cuda {
namespace {

struct NoActivation {
  template <class C>
  static __device__ C value(C x) {
    return x;
  }
};

// Activations of float64, which are rare, are called, so that their instructions are there once.
struct CalledActivation {
  template <class C>
  __device__ C value(C x) const {
    return epilogue::activated(activation, x);
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
#define LOCI_CASE(op, Function) \
  case Activation::k##Function: return visit(Function());
        LOCI_ACTIVATIONS(LOCI_CASE)
#undef LOCI_CASE
    }
  }
}

// The sums that fill a vector of results.
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
class ProductEpilogue {
  using C = computed_t<T>;
  static constexpr int kLanes = Sums<T>::kLanes;

 public:
  __device__ ProductEpilogue(const MatmulEpilogue& epilogue, const FastDivmod& columns)
      : epilogue_(epilogue),
        columns_(columns),
        bias_is_vector_(columns.value % kLanes == 0 &&
                        are_vectors(static_cast<const T*>(epilogue.bias))) {}

  __device__ Activation activation() const { return epilogue_.activation; }
  __device__ bool takes_vectors() const {
    const bool has_long_rows = epilogue_.bias == nullptr || columns_.value >= kLanes;
    return has_long_rows && are_vectors(static_cast<const T*>(epilogue_.residual));
  }
  __device__ void add_to(Sums<T>& sums, std::int64_t position) const {
    if (epilogue_.bias != nullptr) add_bias(sums, column_of(position));
    if (epilogue_.residual != nullptr) add_vector<T>(sums, epilogue_.residual, position);
  }
  __device__ C applied(C sum, std::int64_t position) const {
    return epilogue::applied<T>(epilogue_, sum, position, column_of(position),
                                epilogue_.bias_columns);
  }

 private:
  __device__ std::int64_t column_of(std::int64_t position) const {
    return position - quotient(position, columns_) * columns_.value;
  }
  __device__ void add_bias(Sums<T>& sums, std::int64_t column) const {
    if (bias_is_vector_) return add_vector<T>(sums, epilogue_.bias, column);
    const T* bias = static_cast<const T*>(epilogue_.bias);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      const std::int64_t at = column + i;
      sums.lanes[i] += Element<T>::widen(bias[at < columns_.value ? at : at - columns_.value]);
    }
  }

  const MatmulEpilogue& epilogue_;
  const FastDivmod& columns_;
  bool bias_is_vector_;
};

// (sum + bias) * factor + offset: what a channel has of bias and norm.
template <class C>
struct ChannelEpilogue {
  __device__ C of(C sum) const { return (sum + bias) * factor + offset; }
  C bias;
  C factor;
  C offset;
};

template <class T>
class ConvolutionEpilogue {
  using C = computed_t<T>;
  static constexpr int kLanes = Sums<T>::kLanes;

 public:
  __device__ ConvolutionEpilogue(const ConvEpilogue& epilogue, const Extent& plane,
                                 const Extent& channels)
      : epilogue_(epilogue), plane_(plane), channels_(channels) {}

  __device__ Activation activation() const { return epilogue_.activation; }
  // Which lie in two planes at most.
  __device__ bool takes_vectors() const {
    return plane_.count >= kLanes && are_vectors(static_cast<const T*>(epilogue_.residual));
  }
  __device__ void add_to(Sums<T>& sums, std::int64_t position) const {
    if (epilogue_.bias != nullptr || epilogue_.scale != nullptr) apply_to_channels(sums, position);
    if (epilogue_.residual != nullptr) add_vector<T>(sums, epilogue_.residual, position);
  }
  __device__ C applied(C sum, std::int64_t position) const {
    const std::int64_t channel = split(split(position, plane_).outer, channels_).rest;
    return epilogue::applied<T>(epilogue_, sum, channel, position);
  }

 private:
  __device__ void apply_to_channels(Sums<T>& sums, std::int64_t position) const {
    const Split at = split(position, plane_);
    const std::int64_t channel = split(at.outer, channels_).rest;
    const std::int64_t left = plane_.count - at.rest;
    const ChannelEpilogue<C> first = epilogue_of(channel);
    ChannelEpilogue<C> second = first;
    if (left < kLanes) second = epilogue_of(channel + 1 == channels_.count ? 0 : channel + 1);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      sums.lanes[i] = i < left ? first.of(sums.lanes[i]) : second.of(sums.lanes[i]);
    }
  }
  __device__ ChannelEpilogue<C> epilogue_of(std::int64_t channel) const {
    ChannelEpilogue<C> epilogue{0, 1, 0};
    if (epilogue_.bias != nullptr) epilogue.bias = epilogue::element_of<T>(epilogue_.bias, channel);
    if (epilogue_.scale == nullptr) return epilogue;
    epilogue.factor = epilogue::norm_factor<T>(epilogue_, channel);
    epilogue.offset = epilogue::norm_offset<T>(epilogue_, channel, epilogue.factor);
    return epilogue;
  }

  const ConvEpilogue& epilogue_;
  const Extent& plane_;
  const Extent& channels_;
};

template <class T, class Epilogue, class F>
__device__ void finish_vectors(const computed_t<T>* sums, T* out, std::int64_t vectors,
                               const Epilogue& epilogue, const F& activation) {
  constexpr int kLanes = Sums<T>::kLanes;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < vectors; i += turn.step) {
    Sums<T> values = load_lanes<kLanes>(sums + i * kLanes);
    epilogue.add_to(values, i * kLanes);
    Vector<T> results;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      results.lanes[lane] = Element<T>::narrow(activation.value(values.lanes[lane]));
    }
    store_vector(out + i * kLanes, results);
  }
}

template <class T, class Epilogue>
__device__ void finish(const computed_t<T>* sums, T* out, std::int64_t count,
                       const Epilogue& epilogue) {
  constexpr int kLanes = Sums<T>::kLanes;
  const bool has_vectors = is_vector<kLanes>(sums) && are_vectors(out) && epilogue.takes_vectors();
  const std::int64_t vectors = has_vectors ? count / kLanes : 0;
  if (vectors > 0) {
    with_activation<computed_t<T>>(epilogue.activation(), [&](const auto& activation) {
      finish_vectors(sums, out, vectors, epilogue, activation);
    });
  }
  const Turns turn = turns();
  for (std::int64_t i = vectors * kLanes + turn.first; i < count; i += turn.step) {
    out[i] = Element<T>::narrow(epilogue.applied(sums[i], i));
  }
}

}  // namespace

#define LOCI_FINISH(dtype, T, ...)                                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                      \
      finish_matmul_##dtype(const computed_t<T>* sums, T* out, std::int64_t count,                 \
                            const __grid_constant__ FastDivmod columns,                            \
                            const __grid_constant__ MatmulEpilogue epilogue) {                     \
    finish(sums, out, count, ProductEpilogue<T>(epilogue, columns));                               \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) finish_conv2d_##dtype(               \
      const computed_t<T>* sums, T* out, std::int64_t count, const __grid_constant__ Extent plane, \
      const __grid_constant__ Extent channels, const __grid_constant__ ConvEpilogue epilogue) {    \
    finish(sums, out, count, ConvolutionEpilogue<T>(epilogue, plane, channels));                   \
  }

LOCI_FLOATS(LOCI_FINISH)

}  // namespace loci::cuda
