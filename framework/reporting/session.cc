#include "framework/reporting/session.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <loci/error.hpp>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/profile_file.h"
#include "framework/reporting/classic_options.h"
#include "framework/reporting/machine.h"
#include "framework/reporting/process_rank.h"
#include "framework/reporting/separate_outputs.h"

namespace loci::reporting {
namespace {

struct Claims {
  static constexpr auto kContextSlot = core::ContextSlot::kSessionClaim;
  std::atomic<bool> is_claimed{false};
};

}  // namespace

void require_profiler(bool is_built_in) {
  if (is_built_in) return;
  core::raise(ErrorCode::kUnsupported,
              "[profiler] this build of Loci cannot record; configure it with "
              "-DLOCI_WITH_PROFILER=ON");
}

SessionClaim::SessionClaim() : is_claimed_(core::in_context<Claims>().is_claimed) {
  if (!is_claimed_.exchange(true)) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[profiler] a session runs already; stop it before the next is started");
}

void SessionClaim::prepare() { core::in_context<Claims>(); }

SessionClaim::~SessionClaim() { is_claimed_ = false; }

Session::Session(const ProfilerOptions::Values& options)
    : options_(options), main_os_id_(static_cast<std::uint64_t>(syscall(SYS_gettid))) {
  if (options.reporters.empty() && options.default_reporter) {
    options_.reporters = {kClassicReporter};
  }
  for (const std::string& text : options_.reporters) {
    reporters_.push_back(open(text));
    is_live_ = is_live_ || reporters_.back()->has_live_ranges();
  }
  require_separate_outputs(reporters_, options_.profile_path);
  claim_.emplace();
  sources_ = std::make_unique<Sources>(level() == profiler::Level::kDetail);
  begin_assembly();
  enter(phase_of(0));
}

Session::~Session() {
  if (sources_ == nullptr) return;
  leave_phase();
}

std::unique_ptr<OpenReporter> Session::open(const std::string& text) const {
  ReportRequest request = parse_request(text);
  add_classic_options(options_, request);
  if (!options_.quality) request.options.emplace_back("quality", "off");
  return std::make_unique<OpenReporter>(request);
}

void Session::set_sorted_key(const std::string& key) {
  options_.sorted_key = key;
  for (std::size_t i = 0; i < reporters_.size(); ++i) {
    if (reporters_[i]->name() == kClassicReporter) reporters_[i] = open(options_.reporters[i]);
  }
}

void Session::begin_assembly() {
  assembly_ = std::make_unique<profiler::Assembly>(profiler::LabelTable::instance());
  started_at_ = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                               std::chrono::system_clock::now().time_since_epoch())
                                               .count());
}

profiler::Level Session::level() const {
  std::uint32_t needed = options_.details ? LOCI_PROFILE_LEVEL_DETAIL : LOCI_PROFILE_LEVEL_OP;
  // Without a report there may be any later.
  if (reporters_.empty()) needed = LOCI_PROFILE_LEVEL_DETAIL;
  for (const auto& reporter : reporters_) needed = std::max(needed, reporter->level());
  return static_cast<profiler::Level>(needed);
}

Session::Phase Session::phase_of(std::uint64_t step) const {
  const ProfilerSchedule& schedule = options_.schedule;
  if (schedule.record == 0) return Phase::kRecord;
  const std::uint64_t cycle = schedule.skip + schedule.warmup + schedule.record;
  if (schedule.repeat > 0 && step / cycle >= schedule.repeat) return Phase::kOff;
  const std::uint64_t place = step % cycle;
  if (place < schedule.skip) return Phase::kOff;
  return place < schedule.skip + schedule.warmup ? Phase::kWarmup : Phase::kRecord;
}

bool Session::wants_peaks() const {
  return std::any_of(reporters_.begin(), reporters_.end(),
                     [](const auto& reporter) { return reporter->wants_peaks(); });
}

void Session::enter(Phase phase) {
  phase_ = phase;
  if (phase == Phase::kOff) return;
  sources_->discard();
  profiler::CollectorOptions options;
  options.level = level();
  options.memory_bytes = options_.memory_bytes;
  options.keep_last = options_.keep_last;
  options.live = is_live_ ? this : nullptr;
  profiler::Collector::instance().begin(options);
  step_begin_ = profiler::ticks();
}

void Session::leave_phase() {
  const Phase left = std::exchange(phase_, Phase::kOff);
  if (left == Phase::kOff) return;
  const profiler::Harvest harvest = profiler::Collector::instance().end();
  if (left == Phase::kWarmup) return sources_->discard();
  assembly_->add_period(harvest, static_cast<std::uint64_t>(options_.keep_last.count()));
  sources_->add_to(*assembly_);
  for (const profiler::StepMark& mark : std::exchange(steps_, {})) {
    assembly_->add_step(mark.begin_ns, mark.end_ns, mark.number);
  }
}

void Session::end_step() {
  const std::uint64_t now = profiler::ticks();
  if (phase_ == Phase::kRecord) steps_.push_back({step_begin_, now, step_});
  step_begin_ = now;
}

void Session::step() {
  marks_steps_ = true;
  end_step();
  const Phase next = phase_of(++step_);
  if (next == phase_) return;
  leave_phase();
  enter(next);
}

void Session::reset() {
  const Phase phase = phase_;
  leave_phase();
  begin_assembly();
  enter(phase);
}

std::vector<std::string> Session::finish() {
  if (marks_steps_) end_step();
  leave_phase();
  sources_->stop();
  sources_->add_notes_to(*assembly_);
  assembly_->add_devices(sources_->facts(wants_peaks(), assembly_->recording().quality.notes));
  sources_.reset();
  claim_.reset();
  fill_facts(assembly_->recording());
  return make_reports(assembly_->finish(main_os_id_));
}

void Session::fill_facts(profiler::Recording& recording) const {
  recording.level = static_cast<std::uint32_t>(level());
  recording.started_at_unix_ns = started_at_;
  recording.process_id = static_cast<std::uint64_t>(getpid());
  const ProcessRank rank = options_.world_size == 0
                               ? environment_rank()
                               : ProcessRank{options_.rank, options_.world_size};
  recording.rank = rank.rank;
  recording.world_size = rank.world_size;
  recording.program = this_program();
  recording.version = this_version();
  recording.build = this_build();
  recording.machine = this_machine();
}

std::vector<std::string> Session::make_reports(profiler::Recording recording) const {
  std::vector<std::string> failures;
  const auto succeeds = [&](const auto& step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      failures.emplace_back(error.what());
      return false;
    }
  };
  const std::string& path = options_.profile_path;
  const bool kept = !path.empty() && succeeds([&] { profiler::write_profile(recording, path); });
  succeeds([&] {
    const profiler::Profile profile(recording);
    const std::vector<std::string> failed = reporting::make_reports(profile, reporters_);
    failures.insert(failures.end(), failed.begin(), failed.end());
  });
  if (!failures.empty() && !kept) {
    succeeds([&] {
      failures.push_back(
          fmt::format("[profiler] the profile is kept in {}; see loci profile report --help",
                      profiler::rescue_profile(recording)));
    });
  }
  for (const std::string& line : failures) {
    core::log(core::Module::kProfiler, core::Level::kWarn, "{}", line);
  }
  return failures;
}

std::vector<std::string> make_reports(const profiler::Profile& profile,
                                      const std::vector<std::unique_ptr<OpenReporter>>& reporters) {
  std::vector<std::string> failures;
  for (const auto& reporter : reporters) {
    try {
      reporter->report(profile.abi());
    } catch (const Error& error) {
      failures.push_back(fmt::format("[profiler] the report '{}' could not be made: {}",
                                     reporter->name(), error.what()));
    }
  }
  return failures;
}

void Session::begin(profiler::LabelId label) noexcept {
  const loci_profile_label& abi = profiler::LabelTable::instance().abi(label);
  for (const auto& reporter : reporters_) {
    if (reporter->has_live_ranges()) reporter->range_begin(abi);
  }
}

void Session::end() noexcept {
  for (const auto& reporter : reporters_) {
    if (reporter->has_live_ranges()) reporter->range_end();
  }
}

}  // namespace loci::reporting
