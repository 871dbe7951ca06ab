// Attributes of an operator, read by name.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loci::sdk {

// An attribute that points into `name` and `value`. T: bool, an integer, a floating type, text, or
// a vector of integers or of doubles.
template <class T>
[[nodiscard]] loci_attr attribute_of(std::string_view name, const T& value) {
  loci_attr attr{};
  attr.name = to_abi(name);
  if constexpr (std::is_integral_v<T>) {
    attr.kind = std::is_same_v<T, bool> ? LOCI_ATTR_BOOL : LOCI_ATTR_INT;
    attr.integer = static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    attr.kind = LOCI_ATTR_FLOAT;
    attr.real = static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                       std::is_same_v<T, std::vector<double>>) {
    attr.kind = std::is_same_v<T, std::vector<double>> ? LOCI_ATTR_FLOATS : LOCI_ATTR_INTS;
    attr.items = value.data();
    attr.item_count = value.size();
  } else {
    attr.kind = LOCI_ATTR_STRING;
    attr.text = to_abi(value);
  }
  return attr;
}

// Valid while the loci_attr array is: in `supports` and `create`. The schema has filled in defaults
// and checked kinds, so a missing name or wrong kind is a mistake of the kernel and throws
// Error(LOCI_CODE_INTERNAL). Of a saved program that is upgraded nothing was checked: see has().
class AttributeReader {
 public:
  AttributeReader(std::string_view op, const loci_attr* attributes, std::uint64_t count)
      : op_(op), attributes_(attributes), count_(count) {}

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  [[nodiscard]] bool boolean(std::string_view name) const {
    return get(name, LOCI_ATTR_BOOL).integer != 0;
  }
  [[nodiscard]] std::int64_t integer(std::string_view name) const {
    return get(name, LOCI_ATTR_INT).integer;
  }
  [[nodiscard]] double real(std::string_view name) const { return get(name, LOCI_ATTR_FLOAT).real; }
  [[nodiscard]] std::string text(std::string_view name) const {
    return std::string(to_view(get(name, LOCI_ATTR_STRING).text));
  }
  [[nodiscard]] loci_dtype dtype(std::string_view name) const {
    return static_cast<loci_dtype>(get(name, LOCI_ATTR_DTYPE).integer);
  }
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const {
    return items<std::int64_t>(get(name, LOCI_ATTR_INTS));
  }
  [[nodiscard]] std::vector<double> reals(std::string_view name) const {
    return items<double>(get(name, LOCI_ATTR_FLOATS));
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const {
    std::vector<std::string> result;
    for (const loci_str& text : items<loci_str>(get(name, LOCI_ATTR_STRINGS))) {
      result.emplace_back(to_view(text));
    }
    return result;
  }

 private:
  [[nodiscard]] const loci_attr* find(std::string_view name) const {
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (to_view(attributes_[i].name) == name) return &attributes_[i];
    }
    return nullptr;
  }
  [[nodiscard]] const loci_attr& get(std::string_view name, std::uint32_t kind) const {
    const loci_attr* attribute = find(name);
    if (attribute == nullptr) fail(name, "is not there");
    if (attribute->kind != kind) fail(name, "is of another kind than the kernel expects");
    return *attribute;
  }
  template <class T>
  [[nodiscard]] static std::vector<T> items(const loci_attr& attribute) {
    const auto* first = static_cast<const T*>(attribute.items);
    return attribute.item_count == 0 ? std::vector<T>()
                                     : std::vector<T>(first, first + attribute.item_count);
  }
  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw Error(LOCI_CODE_INTERNAL, "[" + std::string(op_) + "] the attribute '" +
                                        std::string(name) + "' " + std::string(what));
  }

  std::string_view op_;
  const loci_attr* attributes_;
  std::uint64_t count_;
};

}  // namespace loci::sdk
