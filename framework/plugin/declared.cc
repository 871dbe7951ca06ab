#include "framework/plugin/declared.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugins.hpp>
#include <vector>

namespace loci::plugin {
namespace {

bool is_kind_for(const Record& record, std::string_view kind, std::string_view device_type) {
  return record.has_manifest() && record.manifest.has_kind(kind) &&
         record.manifest.has_device_type(device_type);
}

}  // namespace

bool is_backend_for(const Record& record, std::string_view device_type) {
  return is_kind_for(record, "backend", device_type);
}

bool is_capturer_for(const Record& record, std::string_view device_type) {
  return is_kind_for(record, "capture", device_type);
}

bool brings_ops(const Record& record) {
  return record.has_manifest() && record.manifest.has_kind("ops");
}

bool brings_reporter(const Record& record, std::string_view name) {
  const std::vector<std::string>& names = record.manifest.reporters;
  return record.has_manifest() && record.manifest.has_kind("reporter") &&
         std::find(names.begin(), names.end(), name) != names.end();
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
