// What an attribute of a plugin's op may be.
#pragma once

#include <loci/abi/ops.h>

#include <cstdint>
#include <loci/attribute.hpp>
#include <string>
#include <vector>

namespace loci::plugin {

struct AttributeRule {
  std::string name;
  Attribute default_value;  // also says the kind
  bool required = false;
  bool limited = false;
  std::int64_t integer_minimum = 0;
  std::int64_t integer_maximum = 0;
  double real_minimum = 0;
  double real_maximum = 0;
  std::vector<std::string> choices;  // none: any

  // What is wrong with a value of the kind, and what to give: "is -1; give a number from 0 to 8".
  // Empty if it is allowed.
  [[nodiscard]] std::string refusal(const Attribute& value) const;
};

// Throws Error(kInvalidArgument) that says what is wrong with the definition, without naming it.
// The name is not checked.
AttributeRule take_attribute_rule(const loci_attr_def& def);

}  // namespace loci::plugin
