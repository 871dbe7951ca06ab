// Columns of integers as text: LEB128 bytes in base64. Small numbers take little room, so that
// sorted times are stored as differences. page/script/decode.js reads it.
#pragma once

#include <cstdint>
#include <string>

namespace loci::report {

class PackedColumn {
 public:
  void add(std::uint64_t number);
  // Any sign: 0, -1, 1, -2 become 0, 1, 2, 3.
  void add_signed(std::int64_t number);
  // The difference to the number added last in this way; the first one is to 0.
  void add_difference(std::uint64_t number);

  [[nodiscard]] std::string text() const;

 private:
  std::string bytes_;
  std::uint64_t last_ = 0;
};

}  // namespace loci::report
