// An opcode taken apart, such as "ld", "global", "v4", "u32".
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

// Thrown by families for a form that PTX has, or may have, and they have not.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Form {
 public:
  explicit Form(std::string_view opcode);

  [[nodiscard]] std::string_view name() const { return name_; }
  // Takes the modifier, wherever it stands.
  bool take(std::string_view modifier);
  // Takes the first of these that is there; empty if none is.
  [[nodiscard]] std::string_view take_one_of(std::initializer_list<std::string_view> modifiers);
  // Takes the first that is a type. Throws UnsupportedError if there is none.
  [[nodiscard]] ScalarType take_type();
  [[nodiscard]] std::optional<ScalarType> take_optional_type();
  // Takes the modifiers that begin so.
  void drop_prefix(std::string_view prefix);
  [[nodiscard]] bool has(std::string_view modifier) const;
  // The first that was not taken; empty if there is none.
  [[nodiscard]] std::string_view rest() const;
  // Throws UnsupportedError if any was not taken.
  void finish() const;
  [[noreturn]] void unsupported() const;

 private:
  std::string_view opcode_;
  std::string_view name_;
  std::vector<std::string_view> modifiers_;
};

}  // namespace loci::cuda_double
