// Attributes of dropout and its gradient.
//
// They are read when a kernel is created. Nothing here checks: the schema has done so.
#pragma once

#include <cmath>
#include <cstdint>
#include <loci/plugin/attributes.hpp>

namespace loci::sdk {

class DropoutOptions {
 public:
  explicit DropoutOptions(const AttributeReader& attributes)
      : p_(attributes.real("p")),
        is_test_(attributes.boolean("is_test")),
        upscales_(attributes.text("mode") == "upscale_in_train") {}

  [[nodiscard]] bool is_test() const { return is_test_; }
  // Returns the factor of an element that stays. With p == 1 none does.
  [[nodiscard]] double factor() const {
    if (is_test_) return upscales_ ? 1.0 : 1.0 - p_;
    return upscales_ && p_ < 1 ? 1.0 / (1.0 - p_) : 1.0;
  }
  // The 24 bits of uniform_float() are at least this where an element stays.
  [[nodiscard]] std::uint32_t threshold() const {
    return static_cast<std::uint32_t>(std::ceil(p_ * 0x1p24));
  }

 private:
  double p_;
  bool is_test_;
  bool upscales_;
};

}  // namespace loci::sdk
