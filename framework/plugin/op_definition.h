// Ops that a plugin defines, taken over and checked.
#pragma once

#include <loci/abi/ops.h>

#include <cstdint>
#include <loci/attribute.hpp>
#include <string>
#include <vector>

#include "framework/plugin/attribute_rule.h"
#include "framework/plugin/plugin.h"

namespace loci::plugin {

struct SlotDefinition {
  std::string name;
  std::uint32_t arity = LOCI_ARITY_REQUIRED;
  std::uint32_t residence = LOCI_RESIDENCE_DEVICE;
  std::uint64_t dtype_mask = 0;
  std::string updates;
};

struct OpDefinition {
  std::string name;
  int version = 1;
  std::vector<SlotDefinition> inputs;
  std::vector<SlotDefinition> outputs;
  std::vector<AttributeRule> attributes;
  std::string not_capturable;
  decltype(loci_op_def::infer) infer = nullptr;
  decltype(loci_op_def::gradient) gradient = nullptr;
  const loci_op_def* def = nullptr;  // the plugin's own, for its functions
};

// "loci.ops" of one plugin.
struct OpLibrary {
  Plugin* plugin = nullptr;
  std::vector<OpDefinition> ops;
};

// A definition in the host's own form. Throws LoadError(kIncompatible) with the op's name and the
// rule of loci/abi/ops.h that it breaks.
OpDefinition take_op_definition(const loci_op_def& def);

}  // namespace loci::plugin
