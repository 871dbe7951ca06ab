// The kind, the default and the limits of an attribute of an op.
#pragma once

#include <cstdint>
#include <loci/attribute.hpp>
#include <string>
#include <vector>

struct loci_attr_def;

namespace loci::ops {

struct AttributeSpec {
  std::string name;
  Attribute default_value;  // also says the kind
  bool required = false;
  // True if numbers, or those of a list, have limits: both are allowed themselves, NaN is not. The
  // smallest and largest number stand for no limit on that side.
  bool limited = false;
  std::int64_t integer_minimum = 0;
  std::int64_t integer_maximum = 0;
  double real_minimum = 0;
  double real_maximum = 0;
  std::vector<std::string> choices = {};  // of a text, or of those of a list; none: any
  std::string meaning = {};               // for who calls the op; empty where a plugin says none

  // Says what is wrong with a value of the kind, and what to give: "is -1; give a number from 0 to
  // 8". Empty if it is allowed.
  [[nodiscard]] std::string refusal(const Attribute& value) const;
};

// That of a plugin's op, but for its name, which is not looked at. Throws Error(kInvalidArgument)
// that says what is wrong with the definition, without naming it.
AttributeSpec take_attribute_spec(const loci_attr_def& def);

}  // namespace loci::ops
