// Access lists as Linux stores them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace loci::test {

struct AccessEntry {
  std::uint16_t tag;
  std::uint16_t rights;
  std::uint32_t id = 0xFFFFFFFF;  // of none
};

inline constexpr std::uint16_t kOwnerTag = 0x01;
inline constexpr std::uint16_t kUserTag = 0x02;
inline constexpr std::uint16_t kOwningGroupTag = 0x04;
inline constexpr std::uint16_t kGroupTag = 0x08;
inline constexpr std::uint16_t kMaskTag = 0x10;
inline constexpr std::uint16_t kOthersTag = 0x20;

inline std::string access_list_bytes(std::initializer_list<AccessEntry> entries,
                                     std::uint32_t version = 2) {
  std::string bytes;
  const auto append = [&bytes](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
  };
  append(version, 4);
  for (const AccessEntry& entry : entries) {
    append(entry.tag, 2);
    append(entry.rights, 2);
    append(entry.id, 4);
  }
  return bytes;
}

// rwx for the owner, rx for its group and all others, `rights` for one named user or group.
inline std::string access_list_with(std::uint16_t tag, std::uint16_t rights, std::uint32_t id,
                                    std::uint16_t mask = 7) {
  return access_list_bytes(
      {{kOwnerTag, 7}, {tag, rights, id}, {kOwningGroupTag, 5}, {kMaskTag, mask}, {kOthersTag, 5}});
}

}  // namespace loci::test
