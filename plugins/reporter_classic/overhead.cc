#include "plugins/reporter_classic/overhead.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/reporter_classic/layout.h"

namespace loci::classic {
namespace {

constexpr std::string_view kCompute = "compute";
constexpr std::size_t kLabelWidth = 25;

bool is_compute(const Path& path) { return path.role == Role::kInner && path.name == kCompute; }

bool is_within_compute(const Paths& paths, PathId path) {
  for (PathId around = paths[path].parent; around != kNoPath; around = paths[around].parent) {
    if (is_compute(paths[around])) return true;
  }
  return false;
}

void add_copy(std::array<CopyTotal, 4>& copies, const Path& path, const Row& row, float share) {
  for (CopyTotal& copy : copies) {
    const std::string_view name = copy.name;
    if (path.name.compare(0, name.size(), name) != 0) continue;
    copy.calls += row.calls;
    copy.total_ns += row.total_ns;
    copy.share += share;
  }
}

// In the order in which the model adds up: rows on top, then those below by the text of the path
// around them; of equal ones, by the ends of their first calls.
std::vector<const Row*> rows_in_order(const Paths& paths, const RowTable& table) {
  std::vector<std::pair<std::string, const Row*>> order;
  for (const Row& row : table.rows) {
    order.emplace_back(
        row.parent == kNoRow ? std::string() : paths.text(table.rows[row.parent].path), &row);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<const Row*> rows;
  for (const auto& entry : order) rows.push_back(entry.second);
  return rows;
}

std::string share_line(std::string_view label, double total_ms, float share) {
  return fmt::format("{}Total: {}Ratio: {}%\n", padded(label, kLabelWidth),
                     padded(figure(total_ms), kDataWidth), figure(share * 100));
}

std::string copy_line(std::string_view label, const CopyTotal& copy) {
  return fmt::format("{}Calls: {}Total: {}Ratio: {}%\n", padded(label, kLabelWidth),
                     padded(fmt::format("{}", copy.calls), kDataWidth),
                     padded(figure(to_ms(copy.total_ns)), kDataWidth), figure(copy.share * 100));
}

constexpr std::string_view kExplanation =
    "The Overhead Summary divides the cost of each event into framework overhead or computation "
    "time.\n"
    "The `Accumulated time of events` is higher than the `Elapsed time of events`.\n"
    "Because the OP is executed asynchronously. For example,\n"
    "Event                   Timeline\n"
    "ParallelExecutor::Run   ---------------------------------------------------------\n"
    "  thread1::OP1                 -----------------------------\n"
    "  thread2::OP2                      ---------------------------------------------\n"
    "OP1.time + OP2.time > ParallelExecutor::Run.time\n"
    "\n";

// Times from shares.
std::string elapsed_shares_text(const Overhead& overhead) {
  const double elapsed = to_ms(overhead.elapsed_ns);
  const float rest = overhead.elapsed_ns == 0 ? 0 : 1 - overhead.compute_share;
  return fmt::format(
      "Total time: {}\n{}{}", figure(elapsed),
      share_line("  Computation time", elapsed * static_cast<double>(overhead.compute_share),
                 overhead.compute_share),
      share_line("  Framework overhead", elapsed * static_cast<double>(rest), rest));
}

// Shares from times.
std::string accumulated_shares_text(const Overhead& overhead) {
  const float compute = share(overhead.compute_ns, overhead.accumulated_ns);
  const float rest = overhead.accumulated_ns == 0 ? 0 : 1 - compute;
  const double rest_ms = to_ms(overhead.accumulated_ns) - to_ms(overhead.compute_ns);
  return share_line("  Computation time", to_ms(overhead.compute_ns), compute) +
         share_line("  Framework overhead", rest_ms, rest);
}

std::string times_text(const Overhead& overhead, Form form) {
  if (form == Form::k18) return elapsed_shares_text(overhead);
  const std::string elapsed = figure(to_ms(overhead.elapsed_ns));
  std::string text = heading("     Overhead Summary      ");
  if (overhead.is_spread) {
    text += kExplanation;
    text += fmt::format("Elapsed time of events: {}\nAccumulated time of events: {}\n", elapsed,
                        figure(to_ms(overhead.accumulated_ns)));
  } else {
    text += fmt::format("Total time: {}\n", elapsed);
  }
  return text + accumulated_shares_text(overhead);
}

std::string copies_text(const Overhead& overhead) {
  CopyTotal all{"GpuMemcpy"};
  std::string parts;
  for (const CopyTotal& copy : overhead.copies) {
    if (copy.calls == 0) continue;
    all.calls += copy.calls;
    all.total_ns += copy.total_ns;
    all.share += copy.share;
    parts += copy_line(fmt::format("  {}", copy.name), copy);
  }
  return fmt::format("\n{}{}{}", heading("     GpuMemCpy Summary     "), copy_line(all.name, all),
                     parts);
}

}  // namespace

Overhead overhead_of(const Paths& paths, const RowTable& table) {
  Overhead overhead;
  overhead.elapsed_ns = table.tops_ns;
  for (const Row* of : rows_in_order(paths, table)) {
    const Row& row = *of;
    const Path& path = paths[row.path];
    const float row_share = share(row.total_ns, table.tops_ns);
    const bool in_spread_run =
        row.parent != kNoRow && table.rows[row.parent].role == Role::kSpecial;
    overhead.is_spread = overhead.is_spread || row.role == Role::kSpecial;
    if (in_spread_run || (row.parent == kNoRow && row.role != Role::kSpecial)) {
      overhead.accumulated_ns += row.total_ns;
    }
    // A phase on top is one whose operator was still open at the end: no part of any whole.
    if (row.parent != kNoRow && is_compute(path) && !is_within_compute(paths, row.path)) {
      overhead.compute_ns += row.total_ns;
      overhead.compute_share += row_share;
    }
    if (row.role == Role::kCopy) add_copy(overhead.copies, path, row, row_share);
  }
  return overhead;
}

std::string overhead_text(const Overhead& overhead, Form form) {
  return times_text(overhead, form) + copies_text(overhead);
}

}  // namespace loci::classic
