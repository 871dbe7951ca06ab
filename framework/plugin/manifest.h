// The manifest of a plugin, as loci/abi/manifest.h describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loci::plugin {

// A library that the plugin needs, and where to get it.
struct Need {
  std::string soname;
  std::string hint;
  std::vector<std::string> symbols = {};  // that the plugin takes from no other library
};

// A member of the manifest that names what a plugin brings.
struct NameList {
  const char* member;
  // Says what is wrong with an entry; empty if nothing is. None: any text will do.
  std::string (*complaint)(const std::string& entry) = nullptr;
};
// Device types that a backend brings or a capturer captures, each a lower-case word.
extern const NameList kDeviceTypes;

struct Manifest {
  std::string id;
  std::string version;
  std::vector<std::string> kinds;
  // The lists that the kinds of this host declare, by member.
  std::map<std::string, std::vector<std::string>, std::less<>> lists;
  std::vector<std::string> settings;  // none: it does not say
  std::vector<std::string> isa;
  std::vector<Need> needs;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::uint32_t min_host_minor = 0;
  std::string abi_digest;
  std::string description;
  std::string license;
  std::string compiler;
  std::string sanitizer = "none";

  [[nodiscard]] bool has_kind(std::string_view kind) const;
  [[nodiscard]] const std::vector<std::string>& list(const NameList& list) const;
  [[nodiscard]] const std::vector<std::string>& device_types() const { return list(kDeviceTypes); }
  [[nodiscard]] bool has_device_type(std::string_view type) const;
};

// Reads and checks it. Throws LoadError(kDataLoss) that names the member. Members that are not
// known are left out: a newer plugin may have more.
Manifest parse_manifest(std::string_view json);

}  // namespace loci::plugin
