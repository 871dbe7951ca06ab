#include "framework/program/weights_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "framework/core/digest.h"
#include "framework/program/json_field.h"

namespace loci::program {
namespace {

std::string read_file_name(const Field& field) {
  const std::string& name = field.text();
  constexpr std::size_t kLongestName = 255;
  const bool is_plain = !name.empty() && name.size() <= kLongestName && name != "." &&
                        name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
  if (is_plain) return name;
  field.fail("'{}' is not the name of a file beside this one; give one without directories",
             printable(name));
}

std::uint64_t read_digest(const Field& field) {
  if (const auto digest = core::parse_digest(field.text())) return *digest;
  field.fail("'{}' is not a digest, such as xxh64:0123456789abcdef", printable(field.text()));
}

}  // namespace

WeightsRecord read_weights_record(const Field& root) {
  WeightsRecord record;
  if (!root.has("weights")) return record;
  record.is_given = true;
  const Field field = root.at("weights");
  if (field.is_null()) return record;
  field.expect_members({"file", "bytes", "header", "content"});
  record.file = {.name = read_file_name(field.at("file")),
                 .bytes = static_cast<std::uint64_t>(field.at("bytes").integer(0)),
                 .header = read_digest(field.at("header")),
                 .content = read_digest(field.at("content"))};
  return record;
}

// The record is written as text: nlohmann's documents of several members end the process where
// memory runs out while one is made.
void add_weights_record(std::string& json, const WeightsRecord& record) {
  std::string member = "null";
  if (record.file) {
    member = fmt::format(R"({{"file":{},"bytes":{},"header":"{}","content":"{}"}})",
                         nlohmann::json(record.file->name).dump(), record.file->bytes,
                         core::digest_text(record.file->header),
                         core::digest_text(record.file->content));
  }
  json.erase(json.rfind("\n}"));
  json += fmt::format(",\n  \"weights\": {}\n}}\n", member);
}

}  // namespace loci::program
