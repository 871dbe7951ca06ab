#include "framework/reporting/reporter_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interfaces.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/stated_text.h"
#include "framework/plugin/struct_array.h"

namespace loci::reporting {
namespace {

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

void check_promised(const std::vector<plugin::TakenReporter>& reporters,
                    const plugin::Manifest& manifest) {
  std::vector<std::string> given;
  for (const plugin::TakenReporter& taken : reporters) given.push_back(taken.name);
  std::vector<std::string> promised = manifest.reporters;
  std::sort(given.begin(), given.end());
  std::sort(promised.begin(), promised.end());
  if (given != promised) {
    plugin::refuse_to_author(fmt::format("it brings the reporters '{}', and its manifest has '{}'",
                                         fmt::join(given, "', '"), fmt::join(promised, "', '")));
  }
}

}  // namespace
}  // namespace loci::reporting

namespace loci::plugin {

std::vector<TakenReporter> take_reporters(Instance& instance, const Manifest& manifest) {
  static constexpr std::string_view kName = LOCI_PROFILE_REPORTER_INTERFACE;
  const void* table = instance.interface(kName, LOCI_PROFILE_REPORTER_MINOR);
  if (table == nullptr)
    refuse_to_author(fmt::format("it calls itself a reporter and has no {}", kName));
  const auto api = copy_table<loci_profile_reporter_api>(table, kName);
  if (api.defs == nullptr) refuse_to_author(fmt::format("its {} lacks defs", kName));
  std::uint64_t count = 0;
  const loci_reporter_def* first =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  std::vector<TakenReporter> reporters;
  for (const loci_reporter_def* def : list_structs(first, count, "list of reporters")) {
    auto reporter = std::make_shared<const reporting::Reporter>(
        reporting::take_reporter(instance, copy_struct(def)));
    std::string name = reporter->name;
    reporters.push_back({std::move(name), std::move(reporter)});
  }
  reporting::check_promised(reporters, manifest);
  return reporters;
}

}  // namespace loci::plugin
