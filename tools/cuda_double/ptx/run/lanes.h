// Turns a function of one thread's values into a handler for all lanes.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// One lane after the other, lowest first.
template <class Function>
inline void for_each_lane(LaneMask mask, const Function& function) {
  for (; mask != 0; mask &= mask - 1) function(lowest_lane(mask));
}

namespace lanes {

template <class T>
struct Source {
  using Value = std::remove_cv_t<T>;
  static const Value* of(const Warp& warp, RegisterRef ref) { return warp.reg<Value>(ref); }
};
struct PredicateLanes {
  LaneMask mask;
  bool operator[](std::uint32_t lane) const { return (mask >> lane & 1) != 0; }
};
template <>
struct Source<bool> {
  static PredicateLanes of(const Warp& warp, RegisterRef ref) { return {warp.predicate(ref)}; }
};

template <auto kFunction, class Result, class... Arguments, std::size_t... kIndex>
inline void map(Warp& warp, const Instruction& instruction, LaneMask mask,
                std::index_sequence<kIndex...> /*indices*/) {
  const auto sources =
      std::make_tuple(Source<Arguments>::of(warp, instruction.operands[1 + kIndex])...);
  if constexpr (std::is_same_v<Result, bool>) {
    LaneMask bits = 0;
    for_each_lane(mask, [&](std::uint32_t lane) {
      bits |= static_cast<LaneMask>(kFunction(std::get<kIndex>(sources)[lane]...)) << lane;
    });
    LaneMask* result = warp.result<LaneMask>(instruction);
    *result = (*result & ~mask) | bits;
  } else {
    Result* result = warp.result<Result>(instruction);
    if (mask == kAllLanes) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        result[lane] = kFunction(std::get<kIndex>(sources)[lane]...);
      }
    } else {
      for_each_lane(mask, [&](std::uint32_t lane) {
        result[lane] = kFunction(std::get<kIndex>(sources)[lane]...);
      });
    }
  }
}

template <auto kFunction, class Result, class... Arguments>
inline void map_as(Warp& warp, const Instruction& instruction, LaneMask mask,
                   Result (* /*signature*/)(Arguments...)) {
  map<kFunction, Result, Arguments...>(warp, instruction, mask,
                                       std::index_sequence_for<Arguments...>());
}

}  // namespace lanes

// The handler of `kFunction`, whose arguments are the instruction's sources in order, with their
// types' sizes, and whose value is its only result. A bool is a predicate.
template <auto kFunction>
void map_lanes(Warp& warp, const Instruction& instruction, LaneMask mask) {
  lanes::map_as<kFunction>(warp, instruction, mask, kFunction);
}

}  // namespace loci::cuda_double
