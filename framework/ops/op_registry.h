// All op schemas by name.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ops/op_schema.h"

namespace loci::ops {

// Returns true if an op of that name is a plugin's: it has a dot.
[[nodiscard]] bool is_plugin_op(std::string_view name);

// Loci's own ops are added before the registry is used, and found without a lock. Plugins' ops may
// come at any time, from any thread. A schema stays where it is as long as the registry, because
// programs refer to it: no op is ever removed.
class OpRegistry {
 public:
  // Brings plugins' ops into the registry, as far as there are any that it lacks. Called, without a
  // lock, when one is asked for that is not there.
  using Supply = std::function<void(OpRegistry&)>;

  OpRegistry() = default;
  // Has the ops of `base` too, which stays.
  explicit OpRegistry(const OpRegistry* base) : base_(base) {}
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // Throws Error(kInvalidArgument) if the name is taken or the schema has no inference.
  void add(OpSchema schema);
  void set_supply(Supply supply) { supply_ = std::move(supply); }
  // Returns true if the op is there now: brings none.
  [[nodiscard]] bool contains(std::string_view name) const;
  // Null if there is none.
  [[nodiscard]] const OpSchema* find(std::string_view name);
  // Throws Error(kInvalidArgument) with similar names.
  [[nodiscard]] const OpSchema& get(std::string_view name);
  // Has all that plugins bring there.
  void supply() {
    if (supply_) supply_(*this);
  }
  // The names of the ops that are there now, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  using Schemas = std::map<std::string, OpSchema, std::less<>>;
  [[nodiscard]] const OpSchema* find_present(std::string_view name) const;

  const OpRegistry* base_ = nullptr;
  Schemas own_;
  mutable std::mutex mutex_;  // of what follows
  Schemas plugin_ops_;
  Supply supply_;  // set before the registry is used
};

// The registry of the current context: the built-in ops, which all contexts share, and those of its
// plugins, which come when one is first asked for.
OpRegistry& op_registry();

// Adds every built-in op, family by family (tools/cmake/LociOpFamilies.cmake).
void register_builtin_ops(OpRegistry& registry);

}  // namespace loci::ops
