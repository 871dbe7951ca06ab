#include "tests/fuzz/operator_case.h"

#include <fmt/format.h>

#include "framework/program/printer.h"

namespace loci::fuzz {

std::string OperatorCase::to_string() const {
  std::string text = fmt::format("[{}]", schema->name());
  for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
    text += fmt::format(" {}=(", schema->inputs()[slot].name);
    const char* separator = "";
    for (const ops::TensorType& type : inputs[slot]) {
      text += separator + program::type_text(type);
      separator = ", ";
    }
    text += ')';
  }
  for (const auto& [name, value] : attributes) {
    text += fmt::format(" {}={}", name, loci::to_string(value));
  }
  return text;
}

}  // namespace loci::fuzz
