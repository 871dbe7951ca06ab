// One session: what is recorded when, and what is made of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/profiler.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/context.h"
#include "framework/profiler/assembly.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/enabled.h"
#include "framework/profiler/profile.h"
#include "framework/reporting/open_reporter.h"
#include "framework/reporting/sources.h"

namespace loci::reporting {

// Throws Error(kUnsupported) that names the option unless the profiler has been compiled in.
void require_profiler(bool is_built_in = profiler::kIsBuiltIn);

// The right to have the one session of the context.
class SessionClaim {
 public:
  // Throws Error(kInvalidArgument) while another is held.
  SessionClaim();
  ~SessionClaim();
  // Has the context keep the claim, for those who hold one until the context ends.
  static void prepare();
  SessionClaim(const SessionClaim&) = delete;
  SessionClaim& operator=(const SessionClaim&) = delete;

 private:
  std::atomic<bool>& is_claimed_;
};

// Used by one thread at a time, in the context in which it was made.
class Session : private profiler::LiveRanges {
 public:
  // Begins it. Throws Error(kInvalidArgument) if one runs already, and what the reporters say.
  explicit Session(const ProfilerOptions::Values& options);
  // Ends it without a report unless finish() has been called.
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // For those who may be in another one.
  [[nodiscard]] core::Context& context() const noexcept { return use_.context(); }

  void step();
  // Forgets what has been recorded.
  void reset();
  // Sets the classic report's key; before finish(), and only without live ranges: makes it anew.
  void set_sorted_key(const std::string& key);
  void set_profile_path(const std::string& path) { options_.profile_path = path; }
  // Ends the session, writes the native file and makes the reports. Returns what failed.
  std::vector<std::string> finish();

 private:
  enum class Phase { kOff, kWarmup, kRecord };

  [[nodiscard]] std::unique_ptr<OpenReporter> open(const std::string& text) const;
  [[nodiscard]] Phase phase_of(std::uint64_t step) const;
  [[nodiscard]] profiler::Level level() const;
  [[nodiscard]] bool wants_peaks() const;
  void enter(Phase phase);
  void leave_phase();
  void begin_assembly();
  void end_step();
  void fill_facts(profiler::Recording& recording) const;
  std::vector<std::string> make_reports(profiler::Recording recording) const;

  void begin(profiler::LabelId label) noexcept override;
  void end() noexcept override;

  core::ContextUse use_;
  ProfilerOptions::Values options_;
  std::vector<std::unique_ptr<OpenReporter>> reporters_;  // of options_.reporters
  bool is_live_ = false;
  std::optional<SessionClaim> claim_;
  std::unique_ptr<Sources> sources_;
  std::unique_ptr<profiler::Assembly> assembly_;
  std::vector<profiler::StepMark> steps_;  // of the period that goes on, in ticks
  Phase phase_ = Phase::kOff;
  std::uint64_t step_ = 0;
  std::uint64_t step_begin_ = 0;  // ticks
  bool marks_steps_ = false;      // step() has been called
  std::uint64_t main_os_id_;
  std::uint64_t started_at_ = 0;
};

// Makes the reports of one profile. Returns what failed, one line each.
std::vector<std::string> make_reports(const profiler::Profile& profile,
                                      const std::vector<std::unique_ptr<OpenReporter>>& reporters);

}  // namespace loci::reporting
