#include "tools/cuda_double/ptx/form.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::cuda_double {

Form::Form(std::string_view opcode) : opcode_(opcode) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t dot = opcode.find('.', begin);
    modifiers_.push_back(opcode.substr(begin, dot - begin));
    if (dot == std::string_view::npos) break;
    begin = dot + 1;
  }
  name_ = modifiers_.front();
  modifiers_.erase(modifiers_.begin());
}

bool Form::take(std::string_view modifier) {
  const auto found = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (found == modifiers_.end()) return false;
  modifiers_.erase(found);
  return true;
}

bool Form::has(std::string_view modifier) const {
  return std::find(modifiers_.begin(), modifiers_.end(), modifier) != modifiers_.end();
}

std::string_view Form::take_one_of(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers) {
    if (take(modifier)) return modifier;
  }
  return {};
}

std::optional<ScalarType> Form::take_optional_type() {
  for (auto modifier = modifiers_.begin(); modifier != modifiers_.end(); ++modifier) {
    const std::optional<ScalarType> type = scalar_type(*modifier);
    if (!type) continue;
    modifiers_.erase(modifier);
    return type;
  }
  return std::nullopt;
}

ScalarType Form::take_type() {
  const std::optional<ScalarType> type = take_optional_type();
  if (!type) throw UnsupportedError(fmt::format("'{}' has no type that is known", opcode_));
  return *type;
}

void Form::drop_prefix(std::string_view prefix) {
  modifiers_.erase(std::remove_if(modifiers_.begin(), modifiers_.end(),
                                  [&](std::string_view modifier) {
                                    return modifier.substr(0, prefix.size()) == prefix;
                                  }),
                   modifiers_.end());
}

std::string_view Form::rest() const {
  return modifiers_.empty() ? std::string_view() : modifiers_.front();
}

void Form::finish() const {
  if (!modifiers_.empty()) unsupported();
}

void Form::unsupported() const {
  const std::string_view left = rest();
  throw UnsupportedError(left.empty()
                             ? fmt::format("the form '{}' is not there", opcode_)
                             : fmt::format("the form '{}' is not there: .{}", opcode_, left));
}

}  // namespace loci::cuda_double
