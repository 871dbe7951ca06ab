// Shared libraries, as far as they are read before one is mapped: none ever is here.
#include "framework/plugin/elf_note.h"

#include "framework/plugin/loader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/manifest_check.h"
#include "tests/fuzz/scratch_file.h"

namespace loci::fuzz {
namespace {

using plugins::Stage;

// The report of a candidate names the file, the cause and the remedy.
void check_report(const std::string& path) {
  plugin::Record record;
  record.report.path = path;
  record.quiet = true;
  plugin::examine(record);
  const plugins::Candidate& report = record.report;
  demand(report.path == path, "the report names another file");
  demand(report.stage == Stage::kDiscovered || report.stage == Stage::kManifestOk,
         "a candidate came too far");
  demand(report.failed || report.stage == Stage::kManifestOk, "a failure is not reported");
  demand(report.failed != report.cause.empty() && report.failed != report.remedy.empty(),
         "a failure has no cause or no remedy");
  if (report.stage == Stage::kManifestOk) check_manifest(record.manifest);
}

void check(std::string_view content) {
  static const ScratchFile file("loci-hostile.so");
  file.write(content);
  std::string text;
  const auto read = [&] { text = plugin::read_manifest_note(file.path()); };
  if (accepts({content.size(), "[plugin] "}, read)) {
    demand(text.size() <= plugin::kMaxManifestBytes, "the manifest is longer than allowed");
    demand(content.find(text) != std::string_view::npos, "the manifest is not in the file");
  }
  check_report(file.path());
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
