// Ops of a plugin in this process, in the registry.
#pragma once

#include <deque>
#include <utility>

#include "framework/ops/plugin_op.h"
#include "tests/support/op_tables.h"

namespace loci::test_support {

// Registers the op of that table, unless there is one of its name, and keeps it.
inline void register_op(OpTable given) {
  static NamedPlugin owner;
  static std::deque<OpTable> tables;
  static std::deque<plugin::OpLibrary> libraries;
  OpTable& table = tables.emplace_back(std::move(given));
  const plugin::OpLibrary& library = libraries.emplace_back(
      plugin::OpLibrary{&owner, {plugin::take_op_definition(table.complete())}});
  if (ops::op_registry().contains(library.ops[0].name)) return;
  ops::op_registry().add(ops::plugin_op(library, library.ops[0]));
}

}  // namespace loci::test_support
