// One operator with its arguments' types and its attributes, valid or not.
#pragma once

#include <loci/attribute.hpp>
#include <string>
#include <vector>

#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::fuzz {

struct OperatorCase {
  const ops::OpSchema* schema = nullptr;
  std::vector<std::vector<ops::TensorType>> inputs;  // by slot
  Attributes attributes;                             // any of those that the schema has, or others

  // "[reshape] x=(float32[2, 3]) shape=[3, -1]".
  [[nodiscard]] std::string to_string() const;
};

}  // namespace loci::fuzz
