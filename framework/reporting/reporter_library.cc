#include "framework/reporting/reporter_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interface_table.h"
#include "framework/plugin/stated_text.h"
#include "framework/plugin/struct_array.h"

namespace loci::reporting {
namespace {

constexpr plugin::NameList kReporterNames{"reporters"};
constexpr plugin::Interface kReporters{LOCI_PROFILE_REPORTER_INTERFACE,
                                       LOCI_PROFILE_REPORTER_MINOR};

void check_functions(const loci_reporter_def& def, const std::string& name) {
  const auto require = [&](bool present, std::string_view member) {
    if (!present) plugin::refuse_to_author(fmt::format("its reporter '{}' lacks {}", name, member));
  };
  require(def.create != nullptr, "create");
  require(def.destroy != nullptr, "destroy");
  if ((def.range_begin == nullptr) != (def.range_end == nullptr)) {
    plugin::refuse_to_author(
        fmt::format("its reporter '{}' has one of range_begin and range_end; it takes both or "
                    "none",
                    name));
  }
  require(def.report != nullptr || def.range_begin != nullptr, "report");
}

Reporter take_reporter(plugin::Instance& instance, const loci_reporter_def& def) {
  Reporter reporter;
  reporter.plugin = &instance;
  reporter.name = plugin::stated_text(def.name, "reporter's name");
  reporter.description = plugin::stated_text(def.description, "reporter's description");
  reporter.default_output = plugin::stated_text(def.default_output, "reporter's default_output");
  reporter.level = def.level;
  reporter.def = def;
  check_functions(def, reporter.name);
  if (def.level != LOCI_PROFILE_LEVEL_OP && def.level != LOCI_PROFILE_LEVEL_DETAIL) {
    plugin::refuse_to_author(fmt::format(
        "its reporter '{}' asks for the level {}, which there is not", reporter.name, def.level));
  }
  if (def.form_count > plugin::kMostStructs || (def.form_count > 0 && def.forms == nullptr)) {
    plugin::refuse_to_author(
        fmt::format("its reporter '{}' has a damaged list of forms", reporter.name));
  }
  for (std::uint64_t i = 0; i < def.form_count; ++i)
    reporter.forms.emplace_back(plugin::stated_text(def.forms[i], "reporter's form"));
  return reporter;
}

void check_promised(const std::vector<Reporter>& reporters, const plugin::Manifest& manifest) {
  std::vector<std::string> given;
  for (const Reporter& reporter : reporters) given.push_back(reporter.name);
  std::vector<std::string> promised = manifest.list(kReporterNames);
  std::sort(given.begin(), given.end());
  std::sort(promised.begin(), promised.end());
  if (given != promised) {
    plugin::refuse_to_author(fmt::format("it brings the reporters '{}', and its manifest has '{}'",
                                         fmt::join(given, "', '"), fmt::join(promised, "', '")));
  }
}

}  // namespace

constinit const plugin::Kind<ReporterLibrary> kReporterKind{
    {.name = "reporter",
     .take = &plugin::take_as<&take_reporters>,
     .declares = &kReporterNames,
     .bearer = "a reporter"}};

ReporterLibrary take_reporters(plugin::Instance& instance, const plugin::Manifest& manifest) {
  const auto api = plugin::require_table<loci_profile_reporter_api>(
      instance, kReporters, "it calls itself a reporter and has no");
  plugin::require_member(api.defs != nullptr, kReporters, "defs");
  std::uint64_t count = 0;
  const loci_reporter_def* first =
      plugin::call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  ReporterLibrary library;
  for (const loci_reporter_def* def : plugin::list_structs(first, count, "list of reporters")) {
    library.reporters.push_back(take_reporter(instance, plugin::copy_struct(def)));
  }
  check_promised(library.reporters, manifest);
  return library;
}

const Reporter* find_reporter(plugin::PluginManager& plugins, std::string_view name) {
  for (const ReporterLibrary* library : plugins.brought(kReporterKind, name)) {
    for (const Reporter& reporter : library->reporters) {
      if (reporter.name == name) return &reporter;
    }
  }
  return nullptr;
}

}  // namespace loci::reporting
