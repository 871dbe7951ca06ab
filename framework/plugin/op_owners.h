// What plugins of the kind "ops" bring, as far as loading knows it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/plugin/instance.h"

namespace loci::ops {
struct PluginOps;
}

namespace loci::plugin {

// "loci.ops" of one plugin, taken over and checked.
struct OpLibrary {
  Plugin* plugin = nullptr;
  std::vector<std::string> names;
  std::shared_ptr<const ops::PluginOps> ops;
};

// Throws LoadError if the plugin has no such table, for a table that is incomplete, and for a
// definition that breaks a rule of loci/abi/ops.h. It lies in framework/ops, which knows what an op
// is and stands on this folder: loading only has to refuse a plugin whose ops are wrong.
std::unique_ptr<OpLibrary> take_op_library(Instance& instance);

// Who brought each op. Not thread-safe.
class OpOwners {
 public:
  // Throws LoadError(kIncompatible), and notes nothing, if another plugin brought one of its ops.
  // Again for the same plugin where an earlier call ran out of memory.
  void claim(const OpLibrary& library);

 private:
  std::map<std::string, std::string> plugins_;  // id by op
};

}  // namespace loci::plugin
