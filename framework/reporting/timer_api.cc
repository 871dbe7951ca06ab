#include <cstdio>
#include <loci/timer.hpp>
#include <string>

#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/profiler/clock.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/scope.h"
#include "framework/profiler/stat_set.h"
#include "framework/profiler/stat_text.h"
#include "framework/reporting/device_timer.h"
#include "framework/reporting/external_range.h"

namespace loci {
inline namespace v0 {
namespace {

using profiler::StatSet;

constexpr std::uint64_t kLongSpanNs = 10'000'000'000;

void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The profile session's word, or 0.
std::uint32_t open_range(profiler::StatId stat, const char* info) {
  const std::uint32_t word = profiler::enabled_word();
  if ((word & profiler::kLevelMask) == 0) return 0;
  const profiler::Label label{
      .kind = LOCI_SPAN_USER, .name = profiler::stat_name(stat), .detail = info};
  profiler::detail::open_scope(word, profiler::LabelTable::instance().intern(label), 0);
  return word;
}

void log_long_span(profiler::StatId stat, const char* info, std::uint64_t ns) {
  core::log(core::Module::kProfiler, core::Level::kInfo, "Stat: [{}] {} [Span:{}ms{}us]",
            profiler::stat_name(stat), info, ns / 1'000'000, ns / 1000 % 1000);
}

}  // namespace

ScopeTimer::ScopeTimer(TimerSite& site, std::string_view name, TimerInfo&& info, const Place* place)
    : info_(std::move(info)) {
  std::uint32_t known = site.stat_.load(std::memory_order_relaxed);
  if (known == 0) [[unlikely]] {
    core::check_environment();
    known = profiler::stat_id(name) + 1;
    site.stat_.store(known, std::memory_order_relaxed);
  }
  stat_ = known - 1;
  if (place != nullptr) device_ = reporting::DeviceTimer::begin(*place, stat_);
  word_ = open_range(stat_, info_.c_str());
  begin_ = profiler::monotonic_ns();
}

ScopeTimer::~ScopeTimer() {
  const std::uint64_t ns = profiler::monotonic_ns() - begin_;
  if (word_ != 0) profiler::detail::close_scope(word_, 0);
  StatSet::instance().add(stat_, ns);
  if (ns >= kLongSpanNs) [[unlikely]]
    log_long_span(stat_, info_.c_str(), ns);
}

bool print_status(const std::string& name) {
  reporting::collect_device_times();
  const auto totals = StatSet::instance().totals();
  const auto found = totals.find(name);
  if (found == totals.end()) return false;
  write(profiler::stat_line(found->first, found->second) + "\n");
  return true;
}

std::string all_status() {
  reporting::collect_device_times();
  return profiler::stat_lines(StatSet::instance().totals());
}

void print_all_status() { write(all_status()); }

void reset_all_status() {
  reporting::drop_device_times();
  StatSet::instance().reset();
}

GpuProfilerRange::GpuProfilerRange(std::string_view name, std::string_view info) {
  core::check_environment();
  reporting::begin_external_range(name, info);
}

GpuProfilerRange::~GpuProfilerRange() { reporting::end_external_range(); }

}  // namespace v0
}  // namespace loci
