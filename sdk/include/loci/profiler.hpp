// Profiling: where the time of a process went, on the host and on its devices.
//
//   {
//     loci::Profiler profiler(
//         loci::ProfilerOptions().state("All").reporter("classic").reporter("html=run.html"));
//     executor.run(program, feed, {loss});
//   }  // prints the classic report and writes run.html
//
// One session at a time in a context (context.hpp); it records all threads there. Reports are made
// by plugins, see `loci plugins list`. Recording costs some 60 ns an operator, and nothing while no
// session runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <loci/export.hpp>
#include <loci/profile_diff.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace reporting {
class Session;
}

inline namespace v0 {

// Which of the steps are recorded, counted by Profiler::step(): of each cycle of skip + warmup +
// record steps the last `record`; warm-up steps are recorded and thrown away, so that what the
// first records cost does not show. After `repeat` cycles nothing more is recorded; 0: no end. All
// that is recorded becomes one profile, in which the recorded steps follow each other.
struct ProfilerSchedule {
  std::uint64_t skip = 0;
  std::uint64_t warmup = 0;
  std::uint64_t record = 0;  // 0: no schedule, every step is recorded
  std::uint64_t repeat = 0;
};

// These options say what a session records and who shows it. Functions throw
// Error(kInvalidArgument) for a text that they do not know, and list those there are.
class LOCI_PUBLIC ProfilerOptions {
 public:
  // The first three are the classic report's: they reach the reporter "classic" as its options of
  // these names, unless reporter() gives it others. The profile and its file have none of them.
  //
  // Whose time it shows: "CPU", "GPU" or "All", in any case. "All" by default.
  ProfilerOptions& state(const std::string& text);
  // How much of each operator it shows: "Default", "OpDetail" or "AllOpDetail", in any case. All
  // but "Default" also have the phases of operators recorded.
  ProfilerOptions& tracer_option(const std::string& text);
  // Order of rows: "default", "calls", "total", "max", "min" or "ave".
  ProfilerOptions& sorted_key(const std::string& text);
  // The native file, from which any report can be made later; empty (the default): none is kept
  // unless a report fails.
  ProfilerOptions& profile_path(const std::string& path);
  // Adds a report: "NAME[:OPTION=VALUE[,...]][=FORM][=OUT]", such as "html=run.html", "classic=1.8"
  // or "trace:gzip=on=run.json.gz". OUT "-" is standard output. Without any, there is "classic".
  // Several may share standard output, but no file.
  ProfilerOptions& reporter(const std::string& text);
  // No report: only the native file.
  ProfilerOptions& no_reporter();
  ProfilerOptions& schedule(const ProfilerSchedule& schedule);
  // Keeps only what ended in the last `time` of the session ("flight recorder").
  ProfilerOptions& keep_last(std::chrono::nanoseconds time);
  // Limits host records, 32 bytes each; beyond it they are dropped and counted. 256 MiB by default.
  ProfilerOptions& memory_limit(std::uint64_t bytes);
  // Sets if reports end with a section on how far they can be trusted; true by default.
  ProfilerOptions& quality(bool shown);
  // Which of the `world_size` processes that compute together this one is, from 0: shown by
  // reports, so that those of several can be told apart. Without it the environment's RANK and
  // WORLD_SIZE, as launchers of such processes set them, where both are numbers that fit each
  // other; else one process alone.
  ProfilerOptions& rank(std::uint32_t rank, std::uint32_t world_size);

  struct Values {
    // Options of the reporter "classic", spelled as above; empty: nothing was said.
    std::string state;
    std::string tracer_option;
    std::string sorted_key;
    bool details = false;  // of operators their phases are recorded, whatever the reports need
    std::string profile_path;
    std::vector<std::string> reporters;
    bool default_reporter = true;
    ProfilerSchedule schedule;
    std::chrono::nanoseconds keep_last{0};
    std::uint64_t memory_bytes = std::uint64_t{256} << 20;
    bool quality = true;
    std::uint32_t rank = 0;
    std::uint32_t world_size = 0;  // 0: rank() was not called
  };
  [[nodiscard]] const Values& values() const noexcept { return values_; }

 private:
  Values values_;
};

// A session, from its construction to stop() or its end. Throws Error(kInvalidArgument) if one runs
// already or a reporter refuses its options, Error(kNotFound) for a reporter that no plugin brings,
// Error(kUnsupported) if Loci was configured with LOCI_WITH_PROFILER=OFF.
class LOCI_PUBLIC Profiler {
 public:
  explicit Profiler(const ProfilerOptions& options = {});
  // Starts a session with the words of the classic profiler.
  explicit Profiler(const std::string& state, const std::string& sorted_key = "default",
                    const std::string& profile_path = "",
                    const std::string& tracer_option = "Default");
  // Stops; what fails then is logged.
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  // One step of the schedule ends, the next begins.
  void step();
  // Ends the session: waits for the devices, writes the native file and makes the reports. Returns
  // what failed, one line each; a report that fails costs neither the others nor the run. Stopped
  // already: does nothing.
  std::vector<std::string> stop();

 private:
  std::unique_ptr<reporting::Session> session_;
};

// These functions run a session without an object. start_profiler() throws as Profiler's
// constructor, the others throw Error(kInvalidArgument) if nothing has been started.
LOCI_PUBLIC void start_profiler(const std::string& state = "All",
                                const std::string& tracer_option = "Default");
LOCI_PUBLIC std::vector<std::string> stop_profiler(const std::string& sorted_key = "default",
                                                   const std::string& profile_path = "");
// Forgets what has been recorded and goes on, for whichever session runs.
LOCI_PUBLIC void reset_profiler();

// A range of the application on this thread, shown under its name; `info` says more of it. With no
// session it costs nanoseconds. Names are kept for good: use few.
class LOCI_PUBLIC ProfileRange {
 public:
  explicit ProfileRange(const char* name, const char* info = "");
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;

 private:
  std::uint32_t word_ = 0;  // 0: not recorded
};

namespace profiling {

struct ReporterInfo {
  std::string name;
  std::string description;
  std::vector<std::string> forms;
  std::string default_output;  // empty: standard output
};
// All that plugins bring; starts those plugins.
LOCI_PUBLIC std::vector<ReporterInfo> reporters();

// Where a report goes that ProfilerOptions::reporter() is told of: a path, or empty for standard
// output. Throws as Profiler's constructor.
LOCI_PUBLIC std::string output_of(const std::string& reporter);

// Throws if report() would not take these reporters for that file, which is not read.
LOCI_PUBLIC void check_reporters(const std::string& profile_path,
                                 const std::vector<std::string>& reporters);

// Makes reports from a native file, as ProfilerOptions::reporter() names them. Throws
// Error(kDataLoss) for a damaged file, kIncompatible for one of another version, kNotFound for an
// unknown reporter, kInvalidArgument if two of them or the native file are one file. Returns what
// failed as Profiler::stop().
LOCI_PUBLIC std::vector<std::string> report(const std::string& profile_path,
                                            const std::vector<std::string>& reporters);

// Compares the runs of two native files: by operator, idle and unaccounted time, per step; and the
// transfers gained and lost. Throws as report().
LOCI_PUBLIC ProfileDiff compare(const std::string& first_path, const std::string& second_path);

}  // namespace profiling

}  // namespace v0
}  // namespace loci
