// Attributes in the form of the C ABI, and back.
#pragma once

#include <loci/abi/kernels.h>

#include <loci/attribute.hpp>
#include <string>
#include <vector>

namespace loci::core {

// Owns everything that data() points to. Neither copied nor moved, as it points into itself.
class AbiAttributes {
 public:
  explicit AbiAttributes(const Attributes& attributes);
  AbiAttributes(const AbiAttributes&) = delete;
  AbiAttributes& operator=(const AbiAttributes&) = delete;

  // In the order of their names.
  [[nodiscard]] const loci_attr* data() const { return attrs_.data(); }
  [[nodiscard]] std::size_t size() const { return attrs_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<Attribute> values_;
  std::vector<std::vector<loci_str>> strings_;
  std::vector<loci_attr> attrs_;
};

// The value of an attribute that a plugin gave. Throws Error(kInvalidArgument) that says what is
// wrong with it, without naming it: "is of the kind 9, which there is not".
Attribute attribute_from_abi(const loci_attr& attr);

}  // namespace loci::core
