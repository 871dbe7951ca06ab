#include "plugins/reporter_statset/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugins/report_text/printable.h"
#include "plugins/report_text/quality.h"

namespace loci::statset {
namespace {

struct Figures {
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = UINT64_MAX;
  std::uint64_t max_ns = 0;
  std::uint64_t count = 0;

  // Threads that share an operator's work have their parts of its time, of which one is the call.
  void add(const loci_profile_node& node) {
    total_ns += node.total_ns;
    count += node.calls;
    if (node.calls == 0) return;
    min_ns = std::min(min_ns, node.min_ns);
    max_ns = std::max(max_ns, node.max_ns);
  }
  [[nodiscard]] std::uint64_t shortest_ns() const { return count == 0 ? 0 : min_ns; }
};

struct Stat {
  std::string name;
  Figures all;
  std::map<std::uint64_t, Figures> threads;  // by the id that the operating system gives
};

bool is_shown(std::uint32_t kind) {
  return kind == LOCI_SPAN_USER || kind == LOCI_SPAN_OP || kind == LOCI_SPAN_GRADIENT;
}

// Returns the statistics in the order of their totals, most first.
std::vector<Stat> stats_of(const loci_profile& profile) {
  std::map<std::string, Stat> by_name;
  for (const loci_profile_node& node : sdk::thread_nodes_of(profile)) {
    const loci_profile_label& label = profile.labels[node.label];
    if (!is_shown(label.kind) || node.calls + node.parts == 0) continue;
    const std::string name = report_text::printable(label.name);
    Stat& stat = by_name[name];
    stat.name = name;
    stat.all.add(node);
    stat.threads[profile.threads[node.thread].os_id].add(node);
  }
  std::vector<Stat> stats;
  for (auto& entry : by_name) stats.push_back(std::move(entry.second));
  std::stable_sort(stats.begin(), stats.end(), [](const Stat& one, const Stat& other) {
    return one.all.total_ns > other.all.total_ns;
  });
  return stats;
}

std::string milliseconds(std::uint64_t microseconds) {
  return fmt::format("{:g}", static_cast<double>(microseconds) * 0.001);
}

// The mean is that of whole microseconds, as the timers computed it.
std::string line(const std::string& name, const std::string& thread, const Figures& figures) {
  const std::uint64_t total = figures.total_ns / 1000;
  const std::uint64_t mean = figures.count == 0 ? 0 : total / figures.count;
  return fmt::format("Stat={:<30}{} total={:<10} avg={:<10} max={:<10} min={:<10} count={:<10}\n",
                     name, thread, milliseconds(total), milliseconds(mean),
                     milliseconds(figures.max_ns / 1000),
                     milliseconds(figures.shortest_ns() / 1000), figures.count);
}

std::string lines(const Stat& stat, bool by_thread) {
  if (!by_thread) return line(stat.name, "", stat.all);
  std::string text;
  for (const auto& [id, figures] : stat.threads) {
    if (!text.empty()) text += std::string(42, ' ');
    text += line(stat.name, fmt::format(" TID={:<6}", id), figures);
  }
  return text;
}

}  // namespace

StatsetReporter::StatsetReporter(const sdk::Host&, const sdk::ReporterOptions& options) {
  options.expect({"quality", "threads"});
  quality_ = options.shows_quality();
  by_thread_ = options.choice("threads", {"off", "on"}) == "on";
}

void StatsetReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  std::string text = "======= StatSet: [GlobalStatInfo] status ======\n";
  for (const Stat& stat : stats_of(profile)) text += lines(stat, by_thread_);
  text += std::string(50, '-') + '\n';
  if (quality_) text += fmt::format("\nData quality\n{}", report_text::quality_lines(profile));
  output.write(text);
}

}  // namespace loci::statset
