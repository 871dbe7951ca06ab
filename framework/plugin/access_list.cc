#include "framework/plugin/access_list.h"

#include <cstdint>
#include <map>

namespace loci::plugin {
namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kEntryBytes = 8;
constexpr std::uint16_t kWrite = 2;
constexpr std::uint16_t kAllRights = 7;

enum Tag : std::uint16_t {
  kOwner = 0x01,
  kNamedUser = 0x02,
  kOwningGroup = 0x04,
  kNamedGroup = 0x08,
  kMask = 0x10,
  kOthers = 0x20,
};

// Little-endian on every machine.
std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

struct Entry {
  std::uint32_t tag;
  std::uint32_t rights;
  std::uint32_t id;
};

std::optional<std::vector<Entry>> read_entries(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || (bytes.size() - kHeaderBytes) % kEntryBytes != 0) {
    return std::nullopt;
  }
  if (number_at(bytes, 0, 4) != kVersion) return std::nullopt;
  std::vector<Entry> entries;
  for (std::size_t at = kHeaderBytes; at < bytes.size(); at += kEntryBytes) {
    entries.push_back(
        {number_at(bytes, at, 2), number_at(bytes, at + 2, 2), number_at(bytes, at + 4, 4)});
  }
  return entries;
}

// One each for the owner, its group and all others; a mask where somebody is named.
bool is_complete(const std::vector<Entry>& entries) {
  std::map<std::uint32_t, int> counts{{kOwner, 0}, {kNamedUser, 0},  {kOwningGroup, 0},
                                      {kMask, 0},  {kNamedGroup, 0}, {kOthers, 0}};
  for (const Entry& entry : entries) {
    const auto known = counts.find(entry.tag);
    if (known == counts.end() || entry.rights > kAllRights) return false;
    ++known->second;
  }
  if (counts[kOwner] != 1 || counts[kOwningGroup] != 1 || counts[kOthers] != 1) return false;
  const bool named = counts[kNamedUser] + counts[kNamedGroup] > 0;
  return counts[kMask] == 1 || (counts[kMask] == 0 && !named);
}

}  // namespace

std::optional<AccessList> parse_access_list(std::string_view bytes) {
  const std::optional<std::vector<Entry>> entries = read_entries(bytes);
  if (!entries || !is_complete(*entries)) return std::nullopt;
  std::uint32_t mask = kAllRights;
  for (const Entry& entry : *entries) {
    if (entry.tag == kMask) mask = entry.rights;
  }
  AccessList list;
  for (const Entry& entry : *entries) {
    if ((entry.rights & mask & kWrite) == 0) continue;
    if (entry.tag == kOwningGroup) list.owning_group = true;
    if (entry.tag == kNamedUser) list.users.push_back(entry.id);
    if (entry.tag == kNamedGroup) list.groups.push_back(entry.id);
  }
  return list;
}

}  // namespace loci::plugin
