// Values of a JSON document that is not trusted, read with errors that say where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"

namespace loci::program {

// For messages: one line, not long, no control characters.
inline std::string printable(std::string_view text) {
  constexpr std::size_t kMostShown = 120;
  std::string result;
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return text.size() > kMostShown ? result + "..." : result;
}

// A value of the file and where it is. Refers to the parsed document, to the file's name, and to
// the field that it is in: its path is put together for an error only.
class Field {
 public:
  // The whole document.
  Field(const nlohmann::json& value, const std::string& file) : value_(&value), file_(&file) {}

  // "main.operators[3].name"; empty for the whole document.
  [[nodiscard]] std::string path() const {
    if (around_ == nullptr) return {};
    std::string path = around_->path();
    if (around_->value_->is_array()) return fmt::format("{}[{}]", path, index_);
    if (!path.empty()) path += '.';
    return path + printable(key_);
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(fmt::format(format, std::forward<Args>(args)...), {});
  }
  [[noreturn]] void fail_with(const std::string& reason, const std::string& details) const {
    throw Error(ErrorCode::kDataLoss,
                fmt::format("[program] {}: {}: {}", *file_,
                            around_ == nullptr ? "top level" : path(), reason),
                details);
  }

  // Runs `step`, whose errors are those of this field.
  template <class Step>
  decltype(auto) guarded(const Step& step) const {
    try {
      return step();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kDataLoss) throw;
      fail("{}", printable(error.what()));
    }
  }

  void expect_members(std::initializer_list<std::string_view> known) const {
    expect_members(known, [](std::string_view name) { return name; });
  }
  // The names of a range's elements.
  template <class Range, class NameOf>
  void expect_members(const Range& known, const NameOf& name_of) const {
    for (const auto& member : members()) {
      const std::string& key = member.first;
      const auto is_key = [&](const auto& element) { return name_of(element) == key; };
      if (std::any_of(known.begin(), known.end(), is_key)) continue;
      std::vector<std::string> names;
      for (const auto& element : known) names.emplace_back(name_of(element));
      fail("has an unknown member '{}'{}; remove it, or use the Loci that wrote the file",
           printable(key), core::suggest(printable(key), names));
    }
  }

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool has(const char* key) const { return object().contains(key); }
  [[nodiscard]] Field at(const char* key) const {
    const auto found = object().find(key);
    if (found == object().end()) fail("has no member '{}'; add it", key);
    return Field(*found, *this, key, 0);
  }
  // Calls visit(key, field) for each member.
  template <class Visit>
  void each_member(const Visit& visit) const {
    for (const auto& [key, value] : members()) {
      visit(key, Field(value, *this, key, 0));
    }
  }
  // Elements or members.
  [[nodiscard]] std::size_t size() const { return value_->size(); }
  // Calls visit(field) for each element.
  template <class Visit>
  void each_element(const Visit& visit) const {
    if (!value_->is_array()) refuse("an array");
    for (std::size_t i = 0; i < value_->size(); ++i) {
      visit(Field((*value_)[i], *this, {}, i));
    }
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) refuse("a string");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
  }
  [[nodiscard]] std::int64_t integer(
      std::int64_t low = std::numeric_limits<std::int64_t>::min(),
      std::int64_t high = std::numeric_limits<std::int64_t>::max()) const {
    if (!value_->is_number_integer()) refuse("an integer");
    // Beyond 63 bits the parser keeps unsigned numbers.
    const bool too_large = value_->is_number_unsigned() &&
                           value_->get<std::uint64_t>() > static_cast<std::uint64_t>(high);
    if (too_large || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high) {
      fail("{} is not in [{}, {}]", value_->dump(), low, high);
    }
    return value_->get<std::int64_t>();
  }
  [[nodiscard]] double number() const {
    if (value_->is_string()) {
      const double infinity = std::numeric_limits<double>::infinity();
      if (text() == "inf") return infinity;
      if (text() == "-inf") return -infinity;
      if (text() == "nan") return std::numeric_limits<double>::quiet_NaN();
    }
    if (!value_->is_number()) refuse("a number");
    return value_->get<double>();
  }
  template <class T, class Read>
  [[nodiscard]] std::vector<T> list(const Read& read) const {
    std::vector<T> result;
    each_element([&](const Field& element) { result.push_back(read(element)); });
    return result;
  }

 private:
  // A member, or an element.
  Field(const nlohmann::json& value, const Field& around, std::string_view key, std::size_t index)
      : value_(&value), around_(&around), key_(key), index_(index), file_(around.file_) {}

  [[nodiscard]] const nlohmann::json& object() const {
    if (!value_->is_object()) refuse("an object");
    return *value_;
  }
  // Not items(), which makes a text of each number.
  [[nodiscard]] const nlohmann::json::object_t& members() const {
    return object().get_ref<const nlohmann::json::object_t&>();
  }
  [[noreturn]] void refuse(const char* wanted) const {
    fail("is {}; {} is needed", value_->type_name(), wanted);
  }

  const nlohmann::json* value_;
  const Field* around_ = nullptr;
  std::string_view key_ = {};
  std::size_t index_ = 0;
  const std::string* file_;
};

}  // namespace loci::program
