#include "framework/ops/attribute_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <loci/abi/ops.h>

#include <algorithm>
#include <limits>
#include <loci/error.hpp>
#include <string_view>

#include "framework/core/abi/attributes.h"
#include "framework/core/quote.h"

namespace loci::ops {
namespace {

[[noreturn]] void refuse_value(const std::string& reason) {
  throw Error(ErrorCode::kInvalidArgument, reason);
}

// "from 0", "up to 8", "from 0 to 8".
template <class T>
std::string range_text(T minimum, T maximum) {
  const bool has_minimum = minimum > std::numeric_limits<T>::lowest();
  const bool has_maximum = maximum < std::numeric_limits<T>::max();
  if (!has_maximum) return fmt::format("from {}", minimum);
  if (!has_minimum) return fmt::format("up to {}", maximum);
  return fmt::format("from {} to {}", minimum, maximum);
}

// Checks a value or each item of a list.
class Refusal {
 public:
  explicit Refusal(const AttributeSpec& spec) : spec_(spec) {}

  template <class T>
  std::string operator()(const std::vector<T>& items) const {
    for (const T& item : items) {
      if (std::string text = (*this)(item); !text.empty())
        return fmt::format("has an item that {}", text);
    }
    return {};
  }
  std::string operator()(std::int64_t value) const {
    return outside(value, spec_.integer_minimum, spec_.integer_maximum);
  }
  std::string operator()(double value) const {
    return outside(value, spec_.real_minimum, spec_.real_maximum);
  }
  std::string operator()(const std::string& value) const {
    const std::vector<std::string>& choices = spec_.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      return {};
    }
    return fmt::format("is {}; give '{}'", core::quote(value), fmt::join(choices, "' or '"));
  }
  std::string operator()(bool) const { return {}; }
  std::string operator()(DType) const { return {}; }

 private:
  // Written so that NaN is outside.
  template <class T>
  [[nodiscard]] std::string outside(T value, T minimum, T maximum) const {
    if (!spec_.limited || (value >= minimum && value <= maximum)) return {};
    return fmt::format("is {}; give a number {}", value, range_text(minimum, maximum));
  }

  const AttributeSpec& spec_;
};

std::vector<std::string> take_choices(const loci_attr_def& def) {
  loci_attr list{};
  list.kind = LOCI_ATTR_STRINGS;
  list.items = def.choices;
  list.item_count = def.choice_count;
  try {
    return std::get<std::vector<std::string>>(core::attribute_from_abi(list));
  } catch (const Error& error) {
    refuse_value(fmt::format("has choices that are wrong: it {}", error.what()));
  }
}

void check_limits(const AttributeSpec& spec, std::uint32_t kind) {
  const bool integers = kind == LOCI_ATTR_INT || kind == LOCI_ATTR_INTS;
  const bool reals = kind == LOCI_ATTR_FLOAT || kind == LOCI_ATTR_FLOATS;
  const bool strings = kind == LOCI_ATTR_STRING || kind == LOCI_ATTR_STRINGS;
  if (spec.limited && !integers && !reals) refuse_value("has limits and is no number");
  if (!spec.choices.empty() && !strings) refuse_value("has choices and is no string");
  if (!spec.limited) return;
  const bool ordered = integers ? spec.integer_minimum <= spec.integer_maximum
                                : spec.real_minimum <= spec.real_maximum;
  if (!ordered) refuse_value("has limits that no number is within");
}

Attribute take_default(const loci_attr_def& def, bool required) {
  loci_attr value = def.default_value;
  if (required) {
    value = loci_attr{};  // what is there does not count
    value.kind = def.kind;
  } else if (value.kind != def.kind) {
    refuse_value(
        fmt::format("is of the kind {} and its default of the kind {}", def.kind, value.kind));
  }
  try {
    return core::attribute_from_abi(value);
  } catch (const Error& error) {
    refuse_value(fmt::format("has a default that {}", error.what()));
  }
}

}  // namespace

std::string AttributeSpec::refusal(const Attribute& value) const {
  return std::visit(Refusal(*this), value);
}

AttributeSpec take_attribute_spec(const loci_attr_def& def) {
  constexpr std::uint32_t kFlags = LOCI_ATTR_DEF_REQUIRED | LOCI_ATTR_DEF_LIMITED;
  if ((def.flags & ~kFlags) != 0)
    refuse_value(fmt::format("has the unknown flags {:#x}", def.flags));
  AttributeSpec spec;
  spec.required = (def.flags & LOCI_ATTR_DEF_REQUIRED) != 0;
  spec.limited = (def.flags & LOCI_ATTR_DEF_LIMITED) != 0;
  spec.default_value = take_default(def, spec.required);
  spec.integer_minimum = def.integer_minimum;
  spec.integer_maximum = def.integer_maximum;
  spec.real_minimum = def.real_minimum;
  spec.real_maximum = def.real_maximum;
  spec.choices = take_choices(def);
  check_limits(spec, def.kind);
  if (spec.required) return spec;
  if (const std::string reason = spec.refusal(spec.default_value); !reason.empty()) {
    refuse_value(fmt::format("has a default that it does not allow: it {}", reason));
  }
  return spec;
}

}  // namespace loci::ops
