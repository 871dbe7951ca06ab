#include "tools/cuda_double/ptx/instructions/copies.h"

#include <type_traits>

#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/wide.h"

namespace loci::cuda_double {
namespace {

template <class From, class To>
To convert(From value) {
  return static_cast<To>(value);
}

template <class From>
Handler cut_from(std::uint32_t to_bytes) {
  switch (to_bytes) {
    case 1: return map_lanes<convert<From, std::uint8_t>>;
    case 2: return map_lanes<convert<From, std::uint16_t>>;
    case 4: return map_lanes<convert<From, std::uint32_t>>;
    case 8: return map_lanes<convert<From, std::uint64_t>>;
    default: return map_lanes<convert<From, Wide>>;
  }
}

template <class From>
Handler extend_from(std::uint32_t to_bytes, bool sign) {
  return sign ? cut_from<std::make_signed_t<From>>(to_bytes) : cut_from<From>(to_bytes);
}

bool negate(bool value) { return !value; }
bool keep(bool value) { return value; }

void add_offset(Warp& warp, const Instruction& instruction, LaneMask mask) {
  auto* result = warp.result<std::uint64_t>(instruction);
  const auto* source = warp.source<std::uint64_t>(instruction, 0);
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = source[lane] + offset; });
}

}  // namespace

Handler cut_handler(std::uint32_t from_bytes, std::uint32_t to_bytes) {
  switch (from_bytes) {
    case 1: return cut_from<std::uint8_t>(to_bytes);
    case 2: return cut_from<std::uint16_t>(to_bytes);
    case 4: return cut_from<std::uint32_t>(to_bytes);
    case 8: return cut_from<std::uint64_t>(to_bytes);
    default: return cut_from<Wide>(to_bytes);
  }
}

Handler extend_handler(std::uint32_t from_bytes, std::uint32_t to_bytes, bool sign) {
  switch (from_bytes) {
    case 1: return extend_from<std::uint8_t>(to_bytes, sign);
    case 2: return extend_from<std::uint16_t>(to_bytes, sign);
    case 4: return extend_from<std::uint32_t>(to_bytes, sign);
    default: return extend_from<std::uint64_t>(to_bytes, sign);
  }
}

Handler negate_predicate_handler() { return map_lanes<negate>; }
Handler copy_predicate_handler() { return map_lanes<keep>; }
Handler add_offset_handler() { return add_offset; }

}  // namespace loci::cuda_double
