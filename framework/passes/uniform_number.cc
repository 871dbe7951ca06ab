#include "framework/passes/uniform_number.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace loci::passes {
namespace {

using program::Operator;

template <class T>
const std::vector<T>& list(const Operator& op, const char* name) {
  return std::get<std::vector<T>>(op.attributes.at(name));
}

template <class T>
std::optional<double> only_value(const std::vector<T>& values) {
  for (const T value : values) {
    // With the sign, which == does not see.
    if (value != values[0] || std::signbit(value) != std::signbit(values[0])) return std::nullopt;
  }
  return values.empty() ? std::nullopt : std::optional(static_cast<double>(values[0]));
}

// A value may be given when the program runs.
bool is_given_its_value(const Operator& filling) {
  const int slot = filling.schema->input_index("value_tensor");
  return !filling.inputs[static_cast<std::size_t>(slot)].empty();
}

}  // namespace

std::optional<double> uniform_number(const Operator& maker, DType dtype) {
  const std::string& type = maker.type();
  if (type == "assign_value") {
    return is_floating(dtype) ? only_value(list<double>(maker, "values"))
                              : only_value(list<std::int64_t>(maker, "integers"));
  }
  if (type != "full_like" && type != "fill_constant") return std::nullopt;
  if (type == "fill_constant" && is_given_its_value(maker)) return std::nullopt;
  return std::get<double>(maker.attributes.at("value"));
}

}  // namespace loci::passes
