// Values of one side of an operator as plugins see them: flat by slot, as ids of a builder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/ops/op_schema.h"
#include "framework/ops/program_builder.h"

namespace loci::ops {

// How many arguments a slot has there: an absent optional one counts, as in loci_op_desc.
inline std::size_t flat_count(Arity arity, std::size_t given) {
  return arity == Arity::kVariadic ? given : 1;
}

struct FlatValues {
  std::vector<loci_value> ids;
  std::vector<std::uint32_t> slots;  // where each begins, and where the last one ends

  void begin_slot() { slots.push_back(static_cast<std::uint32_t>(ids.size())); }
  void end() { begin_slot(); }
};

}  // namespace loci::ops
