// Ops of a plugin in this process, in the registry.
#pragma once

#include <deque>
#include <utility>

#include "framework/ops/op_definition.h"
#include "framework/ops/op_registry.h"
#include "tests/support/op_tables.h"

namespace loci::test_support {

// Registers the op of that table, unless there is one of its name, and keeps it.
inline void register_op(OpTable given) {
  static NamedPlugin owner;
  static std::deque<OpTable> tables;
  OpTable& table = tables.emplace_back(std::move(given));
  ops::OpSchema schema = ops::take_op_definition(owner, table.complete());
  if (!ops::op_registry().contains(schema.name())) ops::op_registry().add(std::move(schema));
}

}  // namespace loci::test_support
