// Reporters for tests: "lines" writes one line for each node, and fails as its option "fail" says;
// "ranges" writes what ranges it was told of while they ran.
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

using namespace loci::sdk;  // NOLINT(google-build-using-namespace): a plugin for tests

class Lines {
 public:
  Lines(const Host&, const ReporterOptions& options)
      : fail_(options.choice("fail", {"no", "create", "report", "late", "throw"})),
        form_(options.choice("form", {"short", "long"})),
        shows_quality_(options.shows_quality()) {
    options.expect({"fail", "form", "quality"});
    if (fail_ == "create") throw Error(LOCI_CODE_UNAVAILABLE, "[lines] will not be made");
  }

  void report(const loci_profile& profile, ReportOutput& output) const {
    if (fail_ == "report") throw Error(LOCI_CODE_FAILED, "[lines] will not report");
    for (const loci_profile_node& node : nodes_of(profile)) {
      const loci_profile_label& label = profile.labels[node.label];
      output.write(std::string(to_view(label.name)) + " " + std::to_string(node.calls) + "\n");
      if (fail_ == "late") throw Error(LOCI_CODE_FAILED, "[lines] gave up");
    }
    if (form_ == "long") output.write("long\n");
    if (shows_quality_) output.write("quality\n");
  }
  [[nodiscard]] bool throws() const { return fail_ == "throw"; }

 private:
  std::string fail_;
  std::string form_;
  bool shows_quality_;
};

class Ranges {
 public:
  Ranges(const Host&, const ReporterOptions& options) { options.expect({"quality"}); }

  void range_begin(const loci_profile_label& label) {
    const std::lock_guard lock(mutex_);
    text_.append("(").append(to_view(label.name));
  }
  void range_end() {
    const std::lock_guard lock(mutex_);
    text_.append(")");
  }
  void report(const loci_profile&, ReportOutput& output) const { output.write(text_); }

 private:
  std::mutex mutex_;
  std::string text_;
};

class Reporters {
 public:
  static constexpr std::string_view kId = "org.loci.test.reporters";
  static constexpr std::string_view kVersion = "1.2.3";

  Reporters(const Host&, const Options&) {
    list_.add<Reporters, Lines>(
        {"lines", "one line for each node", "", LOCI_PROFILE_LEVEL_OP, {"short", "long"}});
    list_.add<Reporters, Ranges>({"ranges", "what was told live", "ranges.txt"});
  }
  const void* interface(std::string_view name) {
    return name == LOCI_PROFILE_REPORTER_INTERFACE ? table() : nullptr;
  }
  [[nodiscard]] const ReporterList& reporters() const { return list_; }

 private:
  // With a report that breaks the rule against exceptions if it is asked to.
  static const void* table() {
    static loci_profile_reporter_api api = *reporter_table<Reporters>();
    api.defs = [](loci_plugin* plugin, std::uint64_t* out_count) -> const loci_reporter_def* {
      static std::vector<loci_reporter_def> defs;
      defs = plugin_of<Reporters>(plugin).reporters().defs();
      defs[0].report = [](loci_reporter* reporter, const loci_profile* profile,
                          const loci_report_output* output) -> loci_error* {
        if (detail::ReporterBox<Lines>::from(reporter).reporter.throws()) {
          throw std::runtime_error("out of report");
        }
        return detail::report<Lines>(reporter, profile, output);
      };
      *out_count = defs.size();
      return defs.data();
    };
    return &api;
  }

  ReporterList list_;
};

}  // namespace

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<Reporters>(host);
}
