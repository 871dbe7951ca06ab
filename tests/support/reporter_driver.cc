#include "tests/support/reporter_driver.h"

namespace loci::testing {

std::vector<loci_kv> to_entries(const ReportOptions& options) {
  std::vector<loci_kv> entries;
  for (const auto& [key, value] : options) {
    entries.push_back({sdk::to_abi(key), sdk::to_abi(value)});
  }
  return entries;
}

CollectedOutput::CollectedOutput(bool is_terminal) {
  output_.struct_size = sizeof output_;
  output_.is_terminal = is_terminal ? 1 : 0;
  output_.context = &text_;
  output_.write = [](void* context, const void* data, std::uint64_t size) -> loci_error* {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
    return nullptr;
  };
}

DrivenReporters::DrivenReporters(loci_plugin_query_fn query) {
  loci_host_info info{};
  info.struct_size = sizeof info;
  desc_ = query(&info);
  host_.check(desc_->create(&host_.api(), nullptr, 0, &plugin_));
  const void* table = nullptr;
  host_.check(desc_->get_interface(plugin_, sdk::to_abi(LOCI_PROFILE_REPORTER_INTERFACE),
                                   LOCI_PROFILE_REPORTER_MINOR, &table));
  api_ = static_cast<const loci_profile_reporter_api*>(table);
}

DrivenReporters::~DrivenReporters() { desc_->destroy(plugin_); }

std::string_view DrivenReporters::id() const { return sdk::to_view(desc_->id); }

std::vector<loci_reporter_def> DrivenReporters::defs() const {
  std::uint64_t count = 0;
  const loci_reporter_def* defs = api_->defs(plugin_, &count);
  return {defs, defs + count};
}

std::string DrivenReporters::report(std::string_view name, const loci_profile& profile,
                                    const ReportOptions& options) const {
  const std::vector<loci_kv> entries = to_entries(options);
  for (const loci_reporter_def& def : defs()) {
    if (sdk::to_view(def.name) != name) continue;
    loci_reporter* reporter = nullptr;
    host_.check(def.create(plugin_, entries.data(), entries.size(), &reporter));
    const CollectedOutput output;
    loci_error* error = def.report(reporter, &profile, &output.abi());
    def.destroy(reporter);
    host_.check(error);
    return output.text();
  }
  throw PluginError(LOCI_CODE_NOT_FOUND, "the plugin has no such reporter");
}

}  // namespace loci::testing
