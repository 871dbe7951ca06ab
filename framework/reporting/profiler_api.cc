#include <loci/profiler.hpp>
#include <mutex>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/scope.h"
#include "framework/reporting/reporter_library.h"
#include "framework/reporting/saved_profile.h"
#include "framework/reporting/separate_outputs.h"
#include "framework/reporting/session.h"

namespace loci {
inline namespace v0 {
namespace {

std::string sorted_key_of(const std::string& text) {
  return ProfilerOptions().sorted_key(text).values().sorted_key;
}

// The session that start_profiler() began in the context, and the one that runs there.
struct Started {
  static constexpr auto kContextSlot = core::ContextSlot::kSession;
  // The claim outlives the session.
  Started() { reporting::SessionClaim::prepare(); }

  std::mutex mutex;
  std::unique_ptr<reporting::Session> session;
  // The running session, whoever began it; for reset_profiler().
  std::atomic<reporting::Session*> running{nullptr};
};

Started& started() { return core::in_context<Started>(); }

using OpenReporters = std::vector<std::unique_ptr<reporting::OpenReporter>>;

// Those that report on the file at `profile_path`, which they must leave as it is.
OpenReporters open_reporters(const std::string& profile_path,
                             const std::vector<std::string>& wanted) {
  OpenReporters open;
  for (const std::string& text : wanted) {
    open.push_back(std::make_unique<reporting::OpenReporter>(reporting::parse_request(text)));
  }
  reporting::require_separate_outputs(open, profile_path);
  return open;
}

std::unique_ptr<reporting::Session> begin(const ProfilerOptions& options) {
  core::check_environment();
  reporting::require_profiler();
  auto session = std::make_unique<reporting::Session>(options.values());
  started().running = session.get();
  return session;
}

std::vector<std::string> end(std::unique_ptr<reporting::Session> session) {
  started().running = nullptr;
  return session->finish();
}

}  // namespace

Profiler::Profiler(const ProfilerOptions& options) : session_(begin(options)) {}

Profiler::Profiler(const std::string& state, const std::string& sorted_key,
                   const std::string& profile_path, const std::string& tracer_option)
    : Profiler(ProfilerOptions()
                   .state(state)
                   .sorted_key(sorted_key)
                   .profile_path(profile_path)
                   .tracer_option(tracer_option)) {}

Profiler::~Profiler() {
  try {
    stop();
  } catch (const std::exception& error) {
    core::log(core::Module::kProfiler, core::Level::kError, "{}", error.what());
  }
}

void Profiler::step() {
  if (session_ == nullptr) return;
  const core::ContextSwitch inside(session_->context());
  session_->step();
}

std::vector<std::string> Profiler::stop() {
  if (session_ == nullptr) return {};
  const core::ContextSwitch inside(session_->context());
  return end(std::move(session_));
}

void start_profiler(const std::string& state, const std::string& tracer_option) {
  const std::lock_guard lock(started().mutex);
  started().session = begin(ProfilerOptions().state(state).tracer_option(tracer_option));
}

std::vector<std::string> stop_profiler(const std::string& sorted_key,
                                       const std::string& profile_path) {
  const std::lock_guard lock(started().mutex);
  const std::string key = sorted_key_of(sorted_key);
  if (started().session == nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[profiler] stop_profiler() without a start_profiler() before it");
  }
  started().session->set_sorted_key(key);
  started().session->set_profile_path(profile_path);
  return end(std::move(started().session));
}

void reset_profiler() {
  reporting::Session* session = started().running;
  if (session == nullptr) {
    core::raise(ErrorCode::kInvalidArgument, "[profiler] reset_profiler() while no session runs");
  }
  session->reset();
}

ProfileRange::ProfileRange(const char* name, const char* info) {
  const std::uint32_t word = profiler::enabled_word();
  if ((word & profiler::kLevelMask) == 0) return;
  word_ = word;
  profiler::detail::open_scope(word,
                               profiler::LabelTable::instance().intern(
                                   {.kind = LOCI_SPAN_USER, .name = name, .detail = info}),
                               0);
}

ProfileRange::~ProfileRange() {
  if (word_ != 0) profiler::detail::close_scope(word_, 0);
}

namespace profiling {

std::vector<ReporterInfo> reporters() {
  plugin::PluginManager& plugins = plugin::PluginManager::instance();
  std::vector<ReporterInfo> all;
  for (const std::string& name : plugins.declared(reporting::kReporterKind)) {
    const reporting::Reporter* found = reporting::find_reporter(plugins, name);
    if (found == nullptr) continue;
    all.push_back({found->name, found->description, found->forms, found->default_output});
  }
  return all;
}

std::string output_of(const std::string& wanted) {
  return reporting::OpenReporter(reporting::parse_request(wanted)).path();
}

void check_reporters(const std::string& profile_path, const std::vector<std::string>& wanted) {
  (void)open_reporters(profile_path, wanted);
}

std::vector<std::string> report(const std::string& profile_path,
                                const std::vector<std::string>& wanted) {
  core::check_environment();
  const OpenReporters open = open_reporters(profile_path, wanted);
  return reporting::make_reports(reporting::open_profile(profile_path), open);
}

}  // namespace profiling

}  // namespace v0
}  // namespace loci
