// An op that a plugin brings, as its definition says it, in values that a process can hand over.
#pragma once

#include <loci/abi/ops.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loci::verify {

struct OwnSlot {
  std::string name;
  std::uint32_t arity = LOCI_ARITY_REQUIRED;
  std::uint64_t dtype_mask = 0;
};

struct OwnAttribute {
  std::string name;
  std::uint32_t kind = LOCI_ATTR_INT;
  bool required = false;
  bool limited = false;
  std::int64_t integer_minimum = 0;
  std::int64_t integer_maximum = 0;
  double real_minimum = 0;
  double real_maximum = 0;
  std::vector<std::string> choices;
};

struct OwnOp {
  std::string name;
  bool has_gradient = false;
  bool updates = false;  // an output is the memory of an input
  std::vector<OwnSlot> inputs;
  std::vector<OwnAttribute> attributes;
};

OwnOp describe_own_op(const loci_op_def& def);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OwnSlot, name, arity, dtype_mask)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OwnAttribute, name, kind, required, limited, integer_minimum,
                                   integer_maximum, real_minimum, real_maximum, choices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OwnOp, name, has_gradient, updates, inputs, attributes)

}  // namespace loci::verify
