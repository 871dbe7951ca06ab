// "loci.ops" of a plugin, taken over and checked.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "framework/plugin/instance.h"
#include "framework/plugin/op_definition.h"

namespace loci::plugin {

// Who brought each op. Not thread-safe.
class OpOwners {
 public:
  // Throws LoadError(kIncompatible), and notes nothing, if another plugin brought one of its ops.
  // Again for the same plugin where an earlier call ran out of memory.
  void claim(const OpLibrary& library);

 private:
  std::map<std::string, std::string> plugins_;  // id by op
};

// Throws LoadError if the plugin has no such table, for a table that is incomplete, and for a
// definition that breaks a rule; see take_op_definition().
std::unique_ptr<OpLibrary> take_op_library(Instance& instance);

}  // namespace loci::plugin
