#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>
#include <string_view>

#include "plugins/reporter_html/html_reporter.h"

namespace loci::report {
namespace {

class HtmlPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.html";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  HtmlPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<HtmlPlugin, HtmlReporter>({"html",
                                              "one page that needs no network",
                                              "profile.html",
                                              LOCI_PROFILE_LEVEL_DETAIL,
                                              {},
                                              LOCI_REPORTER_WANTS_PEAKS});
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }
  const void* interface(std::string_view name) {
    return name == LOCI_PROFILE_REPORTER_INTERFACE ? sdk::reporter_table<HtmlPlugin>() : nullptr;
  }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::report

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::report::HtmlPlugin>(host);
}
