#include "tests/fuzz/manifest_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace loci::fuzz {
namespace {

using nlohmann::json;
using plugin::Manifest;

json as_json(const Manifest& manifest) {
  json needs = json::array();
  for (const plugin::Need& need : manifest.needs) {
    needs.push_back({{"soname", need.soname}, {"hint", need.hint}});
  }
  json written = {{"id", manifest.id},
                  {"version", manifest.version},
                  {"kinds", manifest.kinds},
                  {"isa", manifest.isa},
                  {"needs", std::move(needs)},
                  {"abi",
                   {{"major", manifest.abi_major},
                    {"minor", manifest.abi_minor},
                    {"min_host_minor", manifest.min_host_minor},
                    {"digest", manifest.abi_digest}}},
                  {"description", manifest.description},
                  {"license", manifest.license},
                  {"compiler", manifest.compiler},
                  {"sanitizer", manifest.sanitizer}};
  for (const auto& [member, list] : manifest.lists) written[member] = list;
  return written;
}

void check_text(std::string_view text) {
  demand(text.size() <= 4096, "a text of the manifest is longer than allowed");
  demand(
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; }),
      "a text of the manifest has a control character");
}

void check_list(const std::vector<std::string>& list) {
  demand(list.size() <= 64, "a list of the manifest is longer than allowed");
  for (const std::string& text : list) check_text(text);
}

}  // namespace

void check_manifest(const Manifest& manifest) {
  for (const std::string* text :
       {&manifest.id, &manifest.version, &manifest.abi_digest, &manifest.description,
        &manifest.license, &manifest.compiler, &manifest.sanitizer}) {
    check_text(*text);
  }
  for (const auto* list : {&manifest.kinds, &manifest.isa}) check_list(*list);
  for (const auto& [member, list] : manifest.lists) check_list(list);
  demand(manifest.needs.size() <= 64, "the manifest has more needs than allowed");
  demand(!manifest.id.empty() && !manifest.kinds.empty(), "the manifest says too little");
  const json written = as_json(manifest);
  demand(as_json(plugin::parse_manifest(written.dump())) == written,
         "the manifest is another one when it is written and read");
}

}  // namespace loci::fuzz
