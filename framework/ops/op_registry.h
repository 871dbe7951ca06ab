// All op schemas by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ops/op_schema.h"

namespace loci::ops {

// Not thread-safe while it is filled; read-only use is.
class OpRegistry {
 public:
  // Throws Error(kInvalidArgument) if the name is taken or the schema has no inference.
  void add(OpSchema schema);
  // Null if there is none.
  [[nodiscard]] const OpSchema* find(std::string_view name) const;
  // Throws Error(kInvalidArgument) with similar names.
  [[nodiscard]] const OpSchema& get(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, OpSchema, std::less<>> schemas_;
};

// The registry of the process, filled with the built-in ops at its first use.
OpRegistry& op_registry();

// Adds every built-in op; the one list of families (builtin_ops.cc).
void register_builtin_ops(OpRegistry& registry);

}  // namespace loci::ops
