// Attributes in the form of the C ABI, and back.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <loci/attribute.hpp>
#include <vector>

namespace loci::core {

// Neither copied nor moved, as it points into itself.
class AbiAttributes {
 public:
  // A holder of copies owns everything that data() points to; a holder of references points into
  // the attributes that it was given, which have to outlive it.
  enum class Holds : std::uint8_t { kCopies, kReferences };

  explicit AbiAttributes(const Attributes& attributes, Holds holds = Holds::kCopies);
  AbiAttributes(const AbiAttributes&) = delete;
  AbiAttributes& operator=(const AbiAttributes&) = delete;

  // In the order of their names.
  [[nodiscard]] const loci_attr* data() const { return attrs_.data(); }
  [[nodiscard]] std::size_t size() const { return attrs_.size(); }
  // The attributes from which the ABI form was made.
  [[nodiscard]] const Attributes& source() const { return *source_; }

 private:
  Attributes copies_;  // none if it holds references
  const Attributes* source_;
  std::vector<std::vector<loci_str>> strings_;  // of lists of them
  std::vector<loci_attr> attrs_;
};

// The value of an attribute that a plugin gave. Throws Error(kInvalidArgument) that says what is
// wrong with it, without naming it: "is of the kind 9, which there is not".
Attribute attribute_from_abi(const loci_attr& attr);

}  // namespace loci::core
