// Keys of caches that are bytes and no text: quick to make, and as long as what they are made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace loci::core {

// The bytes of a number or an address. A double's tell 0.0 and -0.0 apart.
template <class T>
void append_bytes(const T& value, std::string* key) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// With its length, which keeps it apart from what stands beside it.
inline void append_text(std::string_view text, std::string* key) {
  append_bytes(text.size(), key);
  key->append(text);
}

}  // namespace loci::core
