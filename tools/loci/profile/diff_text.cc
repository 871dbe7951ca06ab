#include "tools/loci/profile/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/loci/profile/diff_notes.h"

namespace loci::runner {
namespace {

using profiling::DiffRow;
using profiling::DiffSide;
using profiling::PathPart;
using profiling::ProfileDiff;
using profiling::Significance;
using profiling::StepDiff;
using profiling::TransferDiff;

std::string time_text(double ns) {
  const double size = std::abs(ns);
  if (size < 1e3) return fmt::format("{:.5g} ns", ns);
  if (size < 1e6) return fmt::format("{:.5g} us", ns / 1e3);
  if (size < 1e9) return fmt::format("{:.5g} ms", ns / 1e6);
  return fmt::format("{:.5g} s", ns / 1e9);
}

std::string delta_text(double ns) { return fmt::format("{}{}", ns > 0 ? "+" : "", time_text(ns)); }

std::string_view significance_text(Significance significance) {
  switch (significance) {
    case Significance::kYes: return "significant";
    case Significance::kNo: return "within chance";
    case Significance::kUnknown: break;
  }
  return "too few steps to tell from chance";
}

// Names come from files: they stay on their line.
std::string on_one_line(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

// "fc_0/mul_0/compute": of each part the instance if there is one, else the name.
std::string path_text(const std::vector<PathPart>& path) {
  std::string text;
  for (const PathPart& part : path) {
    if (!text.empty()) text += '/';
    text += part.instance.empty() ? part.name : part.instance;
  }
  return text;
}

std::string path_of(const DiffRow& row) {
  switch (row.kind) {
    case DiffRow::Kind::kIdle: return "(waiting for a device or a copy)";
    case DiffRow::Kind::kUnaccounted: return "(outside of any span)";
    default: break;
  }
  const char* side = "";
  if (row.kind == DiffRow::Kind::kOnlyA) side = "  (only in A)";
  if (row.kind == DiffRow::Kind::kOnlyB) side = "  (only in B)";
  return fmt::format("{}{}", on_one_line(path_text(row.path)), side);
}

std::string_view mark_of(Significance significance) {
  return significance == Significance::kYes ? "*" : " ";
}

class Text {
 public:
  explicit Text(const ProfileDiff& diff) : diff_(diff) {}

  void step() {
    const StepDiff& step = diff_.step;
    line("step: {:+.2f} % ({}), {}", step.percent, delta_text(median_change(step)),
         significance_text(step.significance));
    side("A", step.a);
    side("B", step.b);
    for (const std::string& note : diff_notes(diff_)) line("note: {}", note);
  }

  void rows(std::size_t most) {
    line("");
    line(
        "mean time of a step in the main thread, each row its own part (*: its median changed "
        "significantly)");
    line("{:>12} {:>12} {:>13}   what", "A", "B", "change");
    const std::size_t shown = std::min(most, diff_.rows.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const DiffRow& row = diff_.rows[i];
      time_line(row.a.mean_ns, row.b.mean_ns, row.delta_ns, mark_of(row.significance),
                path_of(row));
    }
    if (shown < diff_.rows.size()) rest(shown);
    const StepDiff& step = diff_.step;
    time_line(step.a.mean_ns, step.b.mean_ns, step.delta_ns, " ", "step");
  }

  void transfers(std::size_t most) {
    line("");
    line("transfers per step");
    line("{:>9} {:>9} {:>12} {:>12} {:>16}   what", "A calls", "B calls", "A bytes", "B bytes",
         "in the session");
    transfer_line(diff_.waited_transfers, "all for which the host waits");
    transfer_line(diff_.other_transfers, "all others");
    const std::size_t shown = std::min(most, diff_.transfers.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const TransferDiff& transfer = diff_.transfers[i];
      transfer_line(transfer, on_one_line(name_of(transfer)));
    }
    if (shown < diff_.transfers.size()) line("  and {} more", diff_.transfers.size() - shown);
  }

  std::string take() { return std::move(text_); }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  static double median_change(const StepDiff& step) {
    return step.b.median.value - step.a.median.value;
  }

  void side(std::string_view name, const DiffSide& side) {
    line("  {}: median {} of {} steps, with {:.1f} % confidence from {} to {}", name,
         time_text(side.median.value), side.median.count, side.median.confidence * 100,
         time_text(side.median.low), time_text(side.median.high));
  }

  void time_line(double a, double b, std::int64_t delta_ns, std::string_view mark,
                 std::string_view what) {
    line("{:>12} {:>12} {:>12}{}   {}", time_text(a), time_text(b),
         delta_text(static_cast<double>(delta_ns)), mark, what);
  }

  void rest(std::size_t first) {
    double a = 0;
    double b = 0;
    std::int64_t delta_ns = 0;
    for (std::size_t i = first; i < diff_.rows.size(); ++i) {
      a += diff_.rows[i].a.mean_ns;
      b += diff_.rows[i].b.mean_ns;
      delta_ns += diff_.rows[i].delta_ns;
    }
    time_line(a, b, delta_ns, " ", fmt::format("{} smaller changes", diff_.rows.size() - first));
  }

  static std::string_view change_of(const TransferDiff& transfer) {
    if (transfer.a.calls == 0) return "gained";
    if (transfer.b.calls == 0) return "lost";
    return "changed";
  }

  static std::string name_of(const TransferDiff& transfer) {
    return fmt::format("{}: {}, {} -> {}, {}, {}", change_of(transfer), transfer.variable,
                       transfer.source, transfer.target, transfer.reason,
                       transfer.host_waited ? "host waits" : "host goes on");
  }

  void transfer_line(const TransferDiff& transfer, std::string_view what) {
    line("{:>9.5g} {:>9.5g} {:>12.7g} {:>12.7g} {:>16}   {}", transfer.a.calls_per_step,
         transfer.b.calls_per_step, transfer.a.bytes_per_step, transfer.b.bytes_per_step,
         fmt::format("{} -> {}", transfer.a.calls, transfer.b.calls), what);
  }

  const ProfileDiff& diff_;
  std::string text_;
};

}  // namespace

std::string diff_text(const ProfileDiff& diff, std::size_t most_rows) {
  Text text(diff);
  text.step();
  text.rows(most_rows);
  text.transfers(most_rows);
  return text.take();
}

}  // namespace loci::runner
