#include "framework/plugin/declared.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugins.hpp>
#include <vector>

namespace loci::plugin {
bool is_of_kind(const Record& record, const InterfaceKind& kind) {
  return record.has_manifest() && record.manifest.has_kind(kind.name);
}

const std::vector<std::string>& declared_names(const Record& record, const InterfaceKind& kind) {
  static const auto& kNone = *new std::vector<std::string>;
  return kind.declares == nullptr ? kNone : record.manifest.list(*kind.declares);
}

bool declares(const Record& record, const InterfaceKind& kind,
              std::optional<std::string_view> name) {
  if (!is_of_kind(record, kind)) return false;
  const std::vector<std::string>& names = declared_names(record, kind);
  return !name || std::find(names.begin(), names.end(), *name) != names.end();
}

std::string reason_against(const Record& record) {
  if (record.report.disabled) return fmt::format("{} is disabled", record.report.id);
  if (record.report.failed) {
    return fmt::format("got no further than {}: {}; {}", plugins::stage_name(record.report.stage),
                       record.report.cause, record.report.remedy);
  }
  return record.report.unavailable;
}

}  // namespace loci::plugin
