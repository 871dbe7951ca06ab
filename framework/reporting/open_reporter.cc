#include "framework/reporting/open_reporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <loci/error.hpp>
#include <optional>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/atomic_file.h"
#include "framework/core/listed.h"
#include "framework/core/suggest.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/reporting/reporter_library.h"

namespace loci::reporting {
namespace {

constexpr std::size_t kMostNamed = 20;

const reporting::Reporter& find(const std::string& name) {
  plugin::PluginManager& plugins = plugin::PluginManager::instance();
  const reporting::Reporter* found = find_reporter(plugins, name);
  if (found != nullptr) return *found;
  const std::vector<std::string> names = plugins.declared(kReporterKind);
  throw Error(ErrorCode::kNotFound,
              fmt::format("[profiler] there is no reporter '{}'{}; there are: {}", name,
                          core::suggest(name, names),
                          names.empty() ? "none" : core::listed(names, kMostNamed)),
              plugins.explain_missing(kReporterKind, name));
}

// Calls into the plugin; an exception that it lets escape becomes an error, too.
template <class Call>
void call(const std::string& reporter, const char* function, Call&& body) {
  try {
    plugin::call_plugin_checked(function, body);
  } catch (const plugin::LoadError& error) {
    throw Error(error.code(), fmt::format("[profiler] reporter {}: {}", reporter, error.cause()));
  }
}

// The output to which a report is written.
class Sink {
 public:
  explicit Sink(const ReportTarget& target) {
    const auto links = target.is_default ? core::Links::kReplace : core::Links::kFollow;
    if (!target.path.empty()) file_.emplace(target.path, links);
  }

  loci_report_output output() {
    loci_report_output made{};
    made.struct_size = sizeof made;
    made.is_terminal = !file_ && isatty(STDOUT_FILENO) != 0 ? 1 : 0;
    made.context = this;
    made.write = [](void* context, const void* data, std::uint64_t size) -> loci_error* {
      try {
        static_cast<Sink*>(context)->write(data, size);
        return nullptr;
      } catch (const Error& error) {
        return core::make_error(error);
      }
    };
    return made;
  }

  // Now it is there, and not before.
  void commit() {
    if (file_) return file_->commit();
    const bool written = std::fwrite(text_.data(), 1, text_.size(), stdout) == text_.size();
    if (!written || std::fflush(stdout) != 0) fail();
  }

 private:
  void write(const void* data, std::uint64_t size) {
    if (file_) return file_->write(data, size);
    text_.append(static_cast<const char*>(data), size);
  }
  [[noreturn]] static void fail() {
    throw Error(ErrorCode::kFailed, fmt::format("[profiler] writing to standard output failed: {}",
                                                std::strerror(errno)));
  }

  std::optional<core::AtomicFile> file_;
  std::string text_;  // for standard output
};

}  // namespace

OpenReporter::OpenReporter(const ReportRequest& request)
    : reporter_(&find(request.name)),
      target_(resolve_target(request, reporter_->forms, reporter_->default_output)) {
  std::vector<loci_kv> options;
  for (const auto& [key, value] : target_.options) {
    options.push_back({core::to_abi(key), core::to_abi(value)});
  }
  call(reporter_->name, "create", [&] {
    return reporter_->def.create(reporter_->plugin->handle(), options.data(), options.size(),
                                 &handle_);
  });
  reporter_->plugin->retain();
}

OpenReporter::~OpenReporter() {
  reporter_->def.destroy(handle_);
  reporter_->plugin->release();
}

void OpenReporter::report(const loci_profile& profile) const {
  if (reporter_->def.report == nullptr) return;
  Sink sink(target_);
  const loci_report_output output = sink.output();
  call(reporter_->name, "report",
       [&] { return reporter_->def.report(handle_, &profile, &output); });
  sink.commit();
}

}  // namespace loci::reporting
