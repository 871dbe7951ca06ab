#include "plugins/reporter_html/packed_column.h"

#include <cstddef>
#include <string_view>

namespace loci::report {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void PackedColumn::add(std::uint64_t number) {
  while (number >= 0x80) {
    bytes_ += static_cast<char>((number & 0x7f) | 0x80);
    number >>= 7;
  }
  bytes_ += static_cast<char>(number);
}

void PackedColumn::add_signed(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  add(number < 0 ? ~(bits << 1) : bits << 1);
}

void PackedColumn::add_difference(std::uint64_t number) {
  add_signed(static_cast<std::int64_t>(number - last_));
  last_ = number;
}

std::string PackedColumn::text() const {
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = bytes_.size() - i < 3 ? bytes_.size() - i : 3;
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (j < count ? static_cast<unsigned char>(bytes_[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[(group >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return text;
}

}  // namespace loci::report
