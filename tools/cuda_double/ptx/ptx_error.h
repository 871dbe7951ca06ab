// Why a PTX text was not taken.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace loci::cuda_double {

class PtxError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    kSyntax,     // is no PTX: truncated, misspelt, wrong types, an undefined name
    kVersion,    // PTX of a newer ISA, or for a newer device than was asked for
    kUnresolved  // an external symbol that nothing defines
  };
  // what() is one line: "[name:line] message".
  PtxError(Kind kind, const std::string& name, std::uint32_t line, const std::string& message);
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::uint32_t line() const { return line_; }

 private:
  Kind kind_;
  std::uint32_t line_;
};

}  // namespace loci::cuda_double
