// The POSIX access list of a file or directory.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

namespace loci::plugin {

// Where Linux keeps it; without this attribute there is none beyond the mode.
inline constexpr const char* kAccessListAttribute = "system.posix_acl_access";

// Who may write, beside the owner and all others; the mask is applied.
struct AccessList {
  bool owning_group = false;
  std::vector<uid_t> users;
  std::vector<gid_t> groups;
};

// `bytes` is the attribute's value. Nothing if it is none of version 2, or breaks the rules of one.
std::optional<AccessList> parse_access_list(std::string_view bytes);

}  // namespace loci::plugin
