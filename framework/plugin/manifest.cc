#include "framework/plugin/manifest.h"

#include <fmt/format.h>
#include <loci/abi/base.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "framework/core/dismantle_json.h"
#include "framework/core/suggest.h"
#include "framework/plugin/interface_kind.h"
#include "framework/plugin/load_error.h"

namespace loci::plugin {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kMaxEntries = 64;
constexpr std::array<const char*, 3> kSanitizers{"none", "address", "thread"};

[[noreturn]] void refuse_all(const std::string& cause) {
  throw LoadError(ErrorCode::kDataLoss, cause,
                  "correct the plugin's manifest.json and build it again");
}

[[noreturn]] void refuse_member(std::string_view member, const std::string& what) {
  refuse_all(fmt::format("its manifest's '{}' {}", member, what));
}

// A JSON object whose members are named in messages by their whole path.
class Members {
 public:
  Members(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse_member(path_.empty() ? "top level" : path_, "is not an object");
  }

  [[nodiscard]] std::string name(std::string_view member) const {
    return path_.empty() ? std::string(member) : fmt::format("{}.{}", path_, member);
  }

  [[nodiscard]] const json* find(const char* member) const {
    const auto found = object_.find(member);
    return found == object_.end() ? nullptr : &*found;
  }

  [[nodiscard]] const json& get(const char* member) const {
    const json* found = find(member);
    if (found == nullptr) refuse_member(name(member), "is missing");
    return *found;
  }

  [[nodiscard]] std::string text(const char* member) const {
    return as_text(get(member), name(member));
  }

  [[nodiscard]] std::string text_or(const char* member, std::string fallback) const {
    const json* found = find(member);
    return found == nullptr ? std::move(fallback) : as_text(*found, name(member));
  }

  [[nodiscard]] std::uint32_t number(const char* member) const {
    const json& value = get(member);
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      refuse_member(name(member), "is not a whole number below 2^32");
    }
    return value.get<std::uint32_t>();
  }

  // Calls `visit(entry, name)` for each entry of an array; an absent one has none.
  template <class Visit>
  void for_each(const char* member, Visit&& visit) const {
    const json* array = find(member);
    if (array == nullptr) return;
    if (!array->is_array()) refuse_member(name(member), "is not an array");
    if (array->size() > kMaxEntries) {
      refuse_member(name(member), fmt::format("has {} entries; at most {} are allowed",
                                              array->size(), kMaxEntries));
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      visit((*array)[i], fmt::format("{}[{}]", name(member), i));
    }
  }

  [[nodiscard]] std::vector<std::string> texts(const char* member) const {
    std::vector<std::string> result;
    for_each(member, [&result](const json& entry, const std::string& entry_name) {
      result.push_back(as_text(entry, entry_name));
    });
    return result;
  }

  static std::string as_text(const json& value, const std::string& name) {
    if (!value.is_string()) refuse_member(name, "is not a string");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kMaxText) {
      refuse_member(name,
                    fmt::format("has {} bytes; at most {} are allowed", text.size(), kMaxText));
    }
    if (std::any_of(text.begin(), text.end(),
                    [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
      refuse_member(name, "has a control character");
    }
    return text;
  }

 private:
  const json& object_;
  std::string path_;
};

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_id(std::string_view id) {
  const bool legal = std::all_of(id.begin(), id.end(), [](char c) {
    return is_lower_or_digit(c) || c == '_' || c == '-' || c == '.';
  });
  return legal && id.size() <= 128 && id.find('.') != std::string_view::npos && id.front() != '.' &&
         id.back() != '.' && id.find("..") == std::string_view::npos;
}

bool is_version(std::string_view version) {
  int parts = 1;
  std::size_t digits = 0;
  for (const char c : version) {
    if (c == '.' && digits > 0) {
      ++parts;
      digits = 0;
    } else if (c >= '0' && c <= '9' && digits < 9) {
      ++digits;
    } else {
      return false;
    }
  }
  return parts == 3 && digits > 0;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '_'; });
}

json parse_json(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    refuse_all(fmt::format("its manifest is not JSON: the mistake is at byte {} of {}", error.byte,
                           text.size()));
  } catch (const json::out_of_range&) {
    refuse_all("its manifest has a number beyond the range of a double");
  }
}

void read_abi(const Members& top, Manifest& manifest) {
  const Members abi(top.get("abi"), "abi");
  manifest.abi_major = abi.number("major");
  manifest.abi_minor = abi.number("minor");
  if (abi.find("min_host_minor") != nullptr) {
    manifest.min_host_minor = abi.number("min_host_minor");
  }
  manifest.abi_digest = abi.text("digest");
}

void read_needs(const Members& top, Manifest& manifest) {
  top.for_each("needs", [&manifest](const json& entry, const std::string& name) {
    const Members need(entry, name);
    manifest.needs.push_back(
        {need.text("soname"), need.text_or("hint", ""), need.texts("symbols")});
  });
}

void read_lists(const Members& top, Manifest& manifest) {
  for (const InterfaceKind* kind : interface_kinds()) {
    if (kind->declares == nullptr) continue;
    const char* member = kind->declares->member;
    manifest.lists[member] = top.texts(member);
  }
}

void check_identity(const Manifest& manifest) {
  if (!is_id(manifest.id)) {
    refuse_member("id",
                  fmt::format("is '{}'; it takes lower-case words with dots between them, such as "
                              "'org.loci.cpu'",
                              manifest.id));
  }
  if (!is_version(manifest.version)) {
    refuse_member("version", fmt::format("is '{}'; it takes the form '1.2.3'", manifest.version));
  }
}

void check_kinds(const Manifest& manifest) {
  if (manifest.kinds.empty()) refuse_member("kinds", "is missing or empty");
  // A plugin for a newer ABI may be of a kind that came with it.
  if (manifest.abi_major != LOCI_ABI_MAJOR || manifest.abi_minor > LOCI_ABI_MINOR) return;
  std::vector<std::string> known;
  for (const InterfaceKind* kind : interface_kinds()) known.emplace_back(kind->name);
  for (const std::string& kind : manifest.kinds) {
    if (std::find(known.begin(), known.end(), kind) == known.end()) {
      refuse_member("kinds",
                    fmt::format("has the unknown kind '{}'{}", kind, core::suggest(kind, known)));
    }
  }
}

void check_lists(const Manifest& manifest) {
  for (const InterfaceKind* kind : interface_kinds()) {
    if (kind->declares == nullptr) continue;
    const NameList& list = *kind->declares;
    const std::vector<std::string>& names = manifest.list(list);
    if (names.empty() && manifest.has_kind(kind->name)) {
      refuse_member(list.member,
                    fmt::format("is missing or empty, which {} may not leave out", kind->bearer));
    }
    for (const std::string& name : names) {
      const std::string complaint = list.complaint == nullptr ? "" : list.complaint(name);
      if (!complaint.empty()) refuse_member(list.member, complaint);
    }
  }
}

std::string complaint_of_device_type(const std::string& type) {
  if (!is_word(type)) return fmt::format("has '{}'; a device type is a lower-case word", type);
  if (type != "gpu") return {};
  return "has 'gpu', which stands for any accelerator; name the device type";
}

// The empty one is the variable LOCI_<PLUGIN> itself.
void check_settings(const Manifest& manifest) {
  for (const std::string& name : manifest.settings) {
    if (name.empty() || is_word(name)) continue;
    refuse_member("settings", fmt::format("has '{}'; a setting is a lower-case word", name));
  }
}

void check_sanitizer_name(const Manifest& manifest) {
  const std::string& name = manifest.sanitizer;
  if (std::find(kSanitizers.begin(), kSanitizers.end(), name) == kSanitizers.end()) {
    refuse_member("sanitizer", fmt::format("is '{}'; it takes none, address or thread", name));
  }
}

}  // namespace

constinit const NameList kDeviceTypes{"device_types", &complaint_of_device_type};

bool Manifest::has_kind(std::string_view kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const std::vector<std::string>& Manifest::list(const NameList& list) const {
  static const auto& kNone = *new std::vector<std::string>;
  const auto found = lists.find(list.member);
  return found == lists.end() ? kNone : found->second;
}

bool Manifest::has_device_type(std::string_view type) const {
  const std::vector<std::string>& types = device_types();
  return std::find(types.begin(), types.end(), type) != types.end();
}

Manifest parse_manifest(std::string_view text) {
  const core::OwnedJson object(parse_json(text));
  const Members top(*object, "");
  Manifest manifest;
  manifest.id = top.text("id");
  manifest.version = top.text("version");
  manifest.kinds = top.texts("kinds");
  read_lists(top, manifest);
  manifest.settings = top.texts("settings");
  manifest.isa = top.texts("isa");
  read_needs(top, manifest);
  read_abi(top, manifest);
  manifest.description = top.text_or("description", "");
  manifest.license = top.text_or("license", "");
  manifest.compiler = top.text_or("compiler", "");
  manifest.sanitizer = top.text_or("sanitizer", "none");
  check_identity(manifest);
  check_kinds(manifest);
  check_lists(manifest);
  check_settings(manifest);
  check_sanitizer_name(manifest);
  return manifest;
}

}  // namespace loci::plugin
