#include "tools/conformance/verify/exclusions.h"

#include <fstream>
#include <iterator>
#include <loci/error.hpp>
#include <nlohmann/json.hpp>

namespace loci::verify {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kDataLoss, "[exclusions] " + what);
}

std::string text_of(const Json& entry, std::size_t i, const char* member) {
  const auto found = entry.find(member);
  if (found == entry.end() || !found->is_string() || found->get<std::string>().empty()) {
    refuse(fmt::format("entry {} has no \"{}\"; give a text", i, member));
  }
  return *found;
}

Outcome kind_of(const std::string& text, std::size_t i) {
  for (const Outcome kind : {Outcome::kUnsupported, Outcome::kExpectedFailure}) {
    if (text == outcome_name(kind)) return kind;
  }
  refuse(fmt::format("entry {} is of the kind '{}'; there are unsupported and expected_failure", i,
                     text));
}

std::regex regex_of(const std::string& pattern, std::size_t i) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::nosubs);
  } catch (const std::regex_error& error) {
    refuse(fmt::format("entry {}: '{}' is no regular expression: {}", i, pattern, error.what()));
  }
}

Exclusion read_entry(const Json& entry, std::size_t i) {
  if (!entry.is_object()) refuse(fmt::format("entry {} is no object", i));
  for (const auto& member : entry.items()) {
    if (member.key() == "case" || member.key() == "kind" || member.key() == "reason") continue;
    refuse(fmt::format("entry {} has an unknown member '{}'; there are case, kind and reason", i,
                       member.key()));
  }
  Exclusion exclusion;
  exclusion.pattern = text_of(entry, i, "case");
  exclusion.expression = regex_of(exclusion.pattern, i);
  exclusion.kind = kind_of(text_of(entry, i, "kind"), i);
  exclusion.reason = text_of(entry, i, "reason");
  return exclusion;
}

}  // namespace

Exclusions Exclusions::parse(std::string_view json) {
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) refuse("it is no JSON array");
  Exclusions exclusions;
  for (const Json& entry : list) {
    exclusions.entries_.push_back(read_entry(entry, exclusions.entries_.size()));
  }
  return exclusions;
}

Exclusions Exclusions::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("[exclusions] '{}' cannot be read; give the path of a file", path));
  }
  try {
    return parse(text);
  } catch (const Error& error) {
    throw error.within(path);
  }
}

Exclusion* Exclusions::find(const std::string& check) {
  for (Exclusion& entry : entries_) {
    if (std::regex_search(check, entry.expression)) return &entry;
  }
  return nullptr;
}

void Exclusions::know(const std::string& check) {
  if (Exclusion* entry = find(check)) entry->known = true;
}

void Exclusions::apply(Result& result) {
  if (result.outcome == Outcome::kSkipped) return;
  Exclusion* entry = find(result.check);
  if (entry == nullptr) return;
  const Outcome needed = entry->kind == Outcome::kUnsupported ? Outcome::kAbsent : Outcome::kFailed;
  // A case that passes because no kernel has anything to do, or because those of other ops do it,
  // says nothing about the op's own.
  const bool idle = result.outcome == Outcome::kPassed && result.kernels.empty() &&
                    entry->kind == Outcome::kUnsupported;
  if (idle) return;
  if (result.outcome != needed) {
    entry->unneeded.push_back(result.check);
    return;
  }
  ++entry->used;
  result.outcome = entry->kind;
  result.message = fmt::format("{} ({})", entry->reason, result.message);
}

}  // namespace loci::verify
