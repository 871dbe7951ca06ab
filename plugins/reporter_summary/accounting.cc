#include "plugins/reporter_summary/accounting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <string>
#include <string_view>

#include "plugins/report_data/time_rows.h"
#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"

namespace loci::summary {
namespace {

using report_text::scaled_time;

constexpr std::size_t kBarWidth = kColumns - 2;

struct Part {
  std::string_view name;
  std::uint64_t time_ns;
  char mark;
  Colour colour;
};

std::array<Part, 3> parts_of(const loci_profile_thread& thread) {
  return {{{"self", thread.self_ns, '#', Colour::kGreen},
           {"idle", thread.idle_ns, '=', Colour::kYellow},
           {"unaccounted", thread.unaccounted_ns, '.', Colour::kRed}}};
}

// The parts end where they end in time, so that rounding does not add up. They are measured apart,
// and may be more than the wall time: then the bar is their sum.
std::string bar(const loci_profile_thread& thread, const Screen& screen) {
  const std::array<Part, 3> parts = parts_of(thread);
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.time_ns;
  const std::uint64_t whole = std::max(thread.wall_ns, sum);
  std::string bar = "[";
  std::uint64_t so_far = 0;
  std::size_t filled = 0;
  for (const Part& part : parts) {
    so_far += part.time_ns;
    const double share = whole == 0 ? 0 : static_cast<double>(so_far) / static_cast<double>(whole);
    const auto end = static_cast<std::size_t>(share * static_cast<double>(kBarWidth) + 0.5);
    bar += screen.in(part.colour, std::string(end - filled, part.mark));
    filled = end;
  }
  return bar + std::string(kBarWidth - filled, ' ') + ']';
}

std::string figures(const loci_profile_thread& thread, const Screen& screen) {
  std::string text = fmt::format("wall {} =", scaled_time(thread.wall_ns));
  const char* sign = " ";
  for (const Part& part : parts_of(thread)) {
    text += fmt::format("{}{} {} {} ({})", sign, screen.in(part.colour, std::string(1, part.mark)),
                        part.name, scaled_time(part.time_ns),
                        report_text::percent(part.time_ns, thread.wall_ns));
    sign = " + ";
  }
  return text;
}

// "6 steps: median 1.2000ms, mean 1.3000ms, total 7.8000ms"; empty without steps.
std::string steps_text(const loci_profile& profile) {
  const report::StepTimes times = report::step_times(profile);
  if (times.count == 0) return {};
  return fmt::format("{} step{}: median {}, mean {}, total {}", times.count,
                     times.count == 1 ? "" : "s", scaled_time(times.median_ns),
                     scaled_time(times.mean_ns), scaled_time(times.total_ns));
}

// ", rank 1 of 4"; empty for a process that is alone.
std::string rank_text(const loci_profile& profile) {
  if (profile.world_size <= 1) return {};
  return fmt::format(", rank {} of {}", profile.rank, profile.world_size);
}

}  // namespace

void show_accounting(const loci_profile& profile, Screen& screen) {
  screen.heading(fmt::format(
      "{} (process {}{}): {} thread{}", report_text::printable(profile.program), profile.process_id,
      rank_text(profile), profile.thread_count, profile.thread_count == 1 ? "" : "s"));
  if (profile.main_thread >= profile.thread_count) {
    screen.line("nothing was recorded");
    return;
  }
  const loci_profile_thread& thread = profile.threads[profile.main_thread];
  screen.coloured_line(bar(thread, screen));
  screen.coloured_line(figures(thread, screen));
  const std::string steps = steps_text(profile);
  if (!steps.empty()) screen.line(steps);
}

}  // namespace loci::summary
