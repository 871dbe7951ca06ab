#include "plugins/reporter_classic/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::classic {
namespace {

constexpr std::string_view kDashes = "-------------------------";
constexpr std::size_t kNameGap = 8;
constexpr std::size_t kTimeWidth = 2 * kDataWidth;

std::string_view place_of(State state) {
  switch (state) {
    case State::kCpu: return "CPU";
    case State::kGpu: return "CUDA";
    case State::kAll: break;
  }
  return "All";
}

std::string_view order_of(SortedKey key) {
  switch (key) {
    case SortedKey::kCalls: return "number of calls";
    case SortedKey::kTotal: return "total time";
    case SortedKey::kMax: return "maximum time";
    case SortedKey::kMin: return "minimum time";
    case SortedKey::kAve: return "average time";
    case SortedKey::kDefault: break;
  }
  return "event first end time";
}

// One table of events, which hands every row to the text as it comes to it.
class Writer {
 public:
  Writer(const Paths& paths, const Settings& settings, std::size_t name_width)
      : paths_(paths), name_width_(name_width), both_times_(settings.state == State::kAll) {}

  void titles() {
    std::string line = padded("Event", name_width_) + cell("Calls") + cell("Total");
    if (both_times_) line += padded("CPU Time (Ratio)", kTimeWidth);
    if (both_times_) line += padded("GPU Time (Ratio)", kTimeWidth);
    text_ += trimmed(line + cell("Min.") + cell("Max.") + cell("Ave.") + "Ratio.") + '\n';
  }

  // The rows in preorder, with a stack of its own: scopes nest as deep as the application wants.
  void rows(const RowTable& table) {
    struct Place {
      std::uint32_t row;
      std::size_t depth;
    };
    std::vector<Place> next;
    const auto push = [&](const std::vector<std::uint32_t>& order, std::size_t depth) {
      for (auto row = order.rbegin(); row != order.rend(); ++row) next.push_back({*row, depth});
    };
    push(table.tops, 0);
    while (!next.empty()) {
      const Place place = next.back();
      next.pop_back();
      row(table, table.rows[place.row], place.depth);
      push(table.rows[place.row].children, place.depth + 1);
    }
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static std::string cell(std::string_view text) { return padded(text, kDataWidth); }
  static std::string time(std::uint64_t part_ns, std::uint64_t total_ns) {
    return padded(fmt::format("{:f} ({:f})", to_ms(part_ns), ratio(part_ns, total_ns)), kTimeWidth);
  }

  void row(const RowTable& table, const Row& row, std::size_t depth) {
    const std::string name = printed_name(paths_, row.path, table.thread);
    std::string line = padded(std::string(2 * depth, ' ') + name, name_width_);
    line += cell(fmt::format("{}", row.calls)) + cell(figure(to_ms(row.total_ns)));
    if (both_times_) line += time(row.cpu_ns, row.total_ns) + time(row.gpu_ns, row.total_ns);
    line += cell(figure(to_ms(row.min_ns))) + cell(figure(to_ms(row.max_ns)));
    line += cell(figure(mean_ns(row) / 1e6));
    line += figure(share(row.total_ns, table.tops_ns));
    text_ += line + '\n';
  }

  const Paths& paths_;
  std::size_t name_width_;
  bool both_times_;
  std::string text_;
};

}  // namespace

std::string figure(double value) { return fmt::format("{:g}", value); }
std::string figure(float value) { return figure(static_cast<double>(value)); }

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.resize(width, ' ');
  return result;
}

std::string trimmed(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

std::string heading(std::string_view title) {
  return fmt::format("{}{}{}\n\n", kDashes, title, kDashes);
}

std::string header_text(const Settings& settings, bool is_merged) {
  return fmt::format(
      "\n{}>     Profiling Report     <{}\n\n{}Place: {}\nTime unit: ms\n"
      "Sorted by {} in descending order in the same thread\n\n",
      kDashes, kDashes, is_merged ? "Note! This Report merge all thread info into one.\n" : "",
      place_of(settings.state), order_of(settings.sorted_key));
}

std::string events_text(const Paths& paths, const std::vector<RowTable>& tables,
                        const Settings& settings) {
  std::size_t width = 0;
  for (const RowTable& table : tables) {
    width = std::max(width, name_width(paths, table, settings));
  }
  Writer writer(paths, settings, width + kNameGap);
  writer.titles();
  for (const RowTable& table : tables) writer.rows(table);
  return fmt::format("\n{}{}", heading("       Event Summary       "), writer.take());
}

}  // namespace loci::classic
