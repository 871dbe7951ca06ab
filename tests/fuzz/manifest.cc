// The JSON text of a plugin's manifest.
#include "framework/plugin/manifest.h"

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/manifest_check.h"

namespace loci::fuzz {
namespace {

void check(std::string_view text) {
  plugin::Manifest manifest;
  const auto parse = [&] { manifest = plugin::parse_manifest(text); };
  // The file stands in the candidate's report: see elf_note.cc.
  if (accepts({text.size(), "[plugin] its manifest"}, parse)) check_manifest(manifest);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
