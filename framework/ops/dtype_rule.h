// Which dtype an output has, said so that it can be listed. Inference is held to it.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <string>

namespace loci::ops {

class InferContext;

class DTypeRule {
 public:
  // None: whatever inference says.
  DTypeRule() = default;
  // That of an input slot; of its first argument if there are several.
  static DTypeRule as(std::string input);
  // The input's dtype, but float32 for one of 16 bits: the dtype that floats are computed in.
  static DTypeRule computed(std::string input);
  // The dtype that an attribute says.
  static DTypeRule attribute(std::string name);
  static DTypeRule always(DType dtype);
  // Inference decides by what `text` says.
  static DTypeRule inferred(std::string text);

  // "as x", "as x, float32 at least", "attribute dtype", "uint8" or the text; empty without a rule.
  [[nodiscard]] std::string to_string() const;
  // The dtype that it makes of the arguments; DType::kNone without a rule, without the argument, or
  // where inference decides.
  [[nodiscard]] DType of(const InferContext& ctx) const;

 private:
  enum class Kind : std::uint8_t { kNone, kInput, kComputed, kAttribute, kAlways, kInferred };

  DTypeRule(Kind kind, std::string name, DType dtype);

  Kind kind_ = Kind::kNone;
  std::string name_;
  DType dtype_ = DType::kNone;
};

}  // namespace loci::ops
