// Attributes of operators.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace loci {
inline namespace v0 {

// A value that is fixed when an operator is made. The order of the kinds is part of the format.
using AttributeValue =
    std::variant<bool, std::int64_t, double, std::string, DType, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

// std::get, std::get_if, std::holds_alternative, std::visit and == take it as they take its value.
class Attribute : public AttributeValue {
 public:
  using AttributeValue::AttributeValue;
  using AttributeValue::operator=;
  Attribute() = default;
  // libstdc++ takes a variant of these kinds for one that always has a value, and its copy
  // constructor destroys what it has not made where memory runs out (GCC 12). A copy begins as one
  // that does have a value here, and so std::bad_alloc is all that comes of it.
  Attribute(const Attribute& other) : AttributeValue(false) { AttributeValue::operator=(other); }
  Attribute(Attribute&& other) noexcept = default;
  Attribute& operator=(const Attribute& other) = default;
  Attribute& operator=(Attribute&& other) noexcept = default;
  ~Attribute() = default;
};

// Sorted by name, so that printing and saving are deterministic.
using Attributes = std::map<std::string, Attribute>;

// "[1, 2]", "0.5", "\"same\"", "float32", "true".
LOCI_PUBLIC std::string to_string(const Attribute& attribute);

}  // namespace v0
}  // namespace loci
