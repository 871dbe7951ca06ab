// Updates of parameters and their state, in place: NAME_DTYPE(arguments). And increment(out, count,
// step).
#include "kernels/launch/block_threads.h"
#include "kernels/optimizer/update_rules.cuh"

namespace loci::cuda {
namespace {

// The elements that make 16 bytes of a parameter, in the type that they are computed in.
template <class T>
struct alignas(16) Pack {
  computed_t<T> lanes[Vector<T>::kLanes];
};

template <class Rule, class T>
__device__ void update_vector(const Rule& rule, T* param, const T* grad, const States<T>& states,
                              std::int64_t i) {
  Vector<T> params = load_vector(param + i);
  const Vector<T> grads = load_vector(grad + i);
  Pack<T> first;
  Pack<T> second;
  if constexpr (Rule::kStates > 0) first = *reinterpret_cast<Pack<T>*>(states.first + i);
  if constexpr (Rule::kStates > 1) second = *reinterpret_cast<Pack<T>*>(states.second + i);
#pragma unroll
  for (int lane = 0; lane < Vector<T>::kLanes; ++lane) {
    params.lanes[lane] = Element<T>::narrow(rule(Element<T>::widen(params.lanes[lane]),
                                                 Element<T>::widen(grads.lanes[lane]),
                                                 first.lanes[lane], second.lanes[lane]));
  }
  store_vector(param + i, params);
  if constexpr (Rule::kStates > 0) *reinterpret_cast<Pack<T>*>(states.first + i) = first;
  if constexpr (Rule::kStates > 1) *reinterpret_cast<Pack<T>*>(states.second + i) = second;
}

template <class Rule, class T>
__device__ void update(const UpdateArguments& arguments) {
  constexpr std::int64_t kLanes = Vector<T>::kLanes;
  const Rule rule(arguments);
  const States<T> states(arguments);
  T* param = static_cast<T*>(arguments.param);
  const T* grad = static_cast<const T*>(arguments.grad);
  const Turns turn = turns();
  const std::int64_t count = arguments.count;
  std::int64_t done = 0;
  if (are_vectors(static_cast<const T*>(param), grad) &&
      are_vectors(static_cast<const computed_t<T>*>(states.first),
                  static_cast<const computed_t<T>*>(states.second))) {
    done = count - count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      update_vector(rule, param, grad, states, i);
    }
  }
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) {
    update_element(rule, param, Element<T>::widen(grad[i]), states, i);
  }
}

}  // namespace

#define LOCI_UPDATE(name, Rule, dtype, T)                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)             \
      name##_##dtype(const __grid_constant__ UpdateArguments arguments) { \
    update<Rule<T>, T>(arguments);                                        \
  }
#define LOCI_UPDATE_FLOATS(name, Rule) \
  LOCI_UPDATE(name, Rule, f32, float)  \
  LOCI_UPDATE(name, Rule, f64, double) \
  LOCI_UPDATE(name, Rule, f16, __half) \
  LOCI_UPDATE(name, Rule, bf16, __nv_bfloat16)

LOCI_UPDATE_FLOATS(sgd, Sgd)
LOCI_UPDATE_FLOATS(momentum, Momentum)
LOCI_UPDATE_FLOATS(adam, Adam)

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    increment(std::uint64_t* out, std::int64_t count, std::int64_t step) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < count; i += turn.step) {
    out[i] += static_cast<std::uint64_t>(step);
  }
}

}  // namespace loci::cuda
