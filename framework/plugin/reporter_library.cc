#include "framework/plugin/reporter_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/stated_text.h"
#include "framework/plugin/struct_array.h"

namespace loci::plugin {
namespace {

constexpr std::string_view kName = LOCI_PROFILE_REPORTER_INTERFACE;

void check_functions(const loci_reporter_def& def, const std::string& name) {
  const auto require = [&](bool present, std::string_view member) {
    if (!present) refuse_to_author(fmt::format("its reporter '{}' lacks {}", name, member));
  };
  require(def.create != nullptr, "create");
  require(def.destroy != nullptr, "destroy");
  if ((def.range_begin == nullptr) != (def.range_end == nullptr)) {
    refuse_to_author(
        fmt::format("its reporter '{}' has one of range_begin and range_end; it takes both or "
                    "none",
                    name));
  }
  require(def.report != nullptr || def.range_begin != nullptr, "report");
}

Reporter take_reporter(Instance& instance, const loci_reporter_def& def) {
  Reporter reporter;
  reporter.plugin = &instance;
  reporter.name = stated_text(def.name, "reporter's name");
  reporter.description = stated_text(def.description, "reporter's description");
  reporter.default_output = stated_text(def.default_output, "reporter's default_output");
  reporter.level = def.level;
  reporter.def = def;
  check_functions(def, reporter.name);
  if (def.level != LOCI_PROFILE_LEVEL_OP && def.level != LOCI_PROFILE_LEVEL_DETAIL) {
    refuse_to_author(fmt::format("its reporter '{}' asks for the level {}, which there is not",
                                 reporter.name, def.level));
  }
  if (def.form_count > kMostStructs || (def.form_count > 0 && def.forms == nullptr)) {
    refuse_to_author(fmt::format("its reporter '{}' has a damaged list of forms", reporter.name));
  }
  for (std::uint64_t i = 0; i < def.form_count; ++i)
    reporter.forms.emplace_back(stated_text(def.forms[i], "reporter's form"));
  return reporter;
}

void check_promised(const ReporterLibrary& library, const Manifest& manifest) {
  std::vector<std::string> given;
  for (const Reporter& reporter : library.reporters) given.push_back(reporter.name);
  std::vector<std::string> promised = manifest.reporters;
  std::sort(given.begin(), given.end());
  std::sort(promised.begin(), promised.end());
  if (given != promised) {
    refuse_to_author(fmt::format("it brings the reporters '{}', and its manifest has '{}'",
                                 fmt::join(given, "', '"), fmt::join(promised, "', '")));
  }
}

}  // namespace

std::unique_ptr<ReporterLibrary> take_reporter_library(Instance& instance,
                                                       const Manifest& manifest) {
  const void* table = instance.interface(kName, LOCI_PROFILE_REPORTER_MINOR);
  if (table == nullptr)
    refuse_to_author(fmt::format("it calls itself a reporter and has no {}", kName));
  const auto api = copy_table<loci_profile_reporter_api>(table, kName);
  if (api.defs == nullptr) refuse_to_author(fmt::format("its {} lacks defs", kName));
  std::uint64_t count = 0;
  const loci_reporter_def* first =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  auto library = std::make_unique<ReporterLibrary>();
  for (const loci_reporter_def* def : list_structs(first, count, "list of reporters")) {
    library->reporters.push_back(take_reporter(instance, copy_struct(def)));
  }
  check_promised(*library, manifest);
  return library;
}

}  // namespace loci::plugin
