// A row of a pad as runs of elements that lie side by side in x, forwards, backwards or not at all.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <loci/plugin/pad_plan.hpp>

namespace loci::kernels {

// `count` elements of the result from `at` on. They are those of x at `source`, source + step, ...;
// a step of 0 repeats one, and a source of -1 is the constant.
struct PadRun {
  std::int64_t at;
  std::int64_t count;
  std::int64_t source;
  std::int64_t step;
};

// The runs of a wrapped row: what is kept, as often as it takes.
template <class Visit>
void visit_wrapped_runs(const sdk::PadAxis& row, std::int64_t begin, std::int64_t end,
                        const Visit& visit) {
  while (begin < end) {
    const std::int64_t source = row.source(begin, sdk::PadMode::kWrap);
    const std::int64_t count = std::min(end - begin, row.first + row.kept - source);
    visit(PadRun{begin, count, source, 1});
    begin += count;
  }
}

// Calls visit(run) for the elements [begin, end) of a row of the result, in order.
template <class Visit>
void visit_pad_runs(const sdk::PadAxis& row, sdk::PadMode mode, std::int64_t begin,
                    std::int64_t end, const Visit& visit) {
  const bool is_repeated = mode == sdk::PadMode::kEdge || row.kept == 1;
  if (mode == sdk::PadMode::kWrap && !is_repeated) {
    return visit_wrapped_runs(row, begin, end, visit);
  }
  const std::int64_t around = mode == sdk::PadMode::kReflect ? -1 : 0;
  const std::int64_t behind = row.before + row.kept;
  const auto visit_part = [&](std::int64_t from, std::int64_t to, std::int64_t step) {
    const std::int64_t first = std::max(begin, from);
    const std::int64_t last = std::min(end, to);
    if (first < last) visit(PadRun{first, last - first, row.source(first, mode), step});
  };
  visit_part(0, row.before, around);
  visit_part(row.before, behind, 1);
  visit_part(behind, row.padded, around);
}

// Goes through the rows of a result, and where those are in x.
class PadRowCursor {
 public:
  PadRowCursor(const sdk::PadPlan& plan, std::int64_t row) : plan_(plan) {
    for (std::size_t i = plan.rank() - 1; i-- > 0;) {
      move_to(i, row % plan.axis(i).padded);
      row /= plan.axis(i).padded;
    }
  }

  // False for a row that has constants alone.
  [[nodiscard]] bool is_in_x() const {
    for (std::size_t i = 0; i + 1 < plan_.rank(); ++i) {
      if (sources_[i] < 0) return false;
    }
    return true;
  }
  // In bytes, from the begin of x.
  [[nodiscard]] std::int64_t offset() const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i + 1 < plan_.rank(); ++i) offset += sources_[i] * plan_.stride(i);
    return offset;
  }
  void next() {
    for (std::size_t i = plan_.rank() - 1; i-- > 0;) {
      if (coordinates_[i] + 1 < plan_.axis(i).padded) return move_to(i, coordinates_[i] + 1);
      move_to(i, 0);
    }
  }

 private:
  void move_to(std::size_t axis, std::int64_t coordinate) {
    coordinates_[axis] = coordinate;
    sources_[axis] = plan_.axis(axis).source(coordinate, plan_.mode());
  }

  const sdk::PadPlan& plan_;
  std::array<std::int64_t, LOCI_MAX_RANK> coordinates_{};
  std::array<std::int64_t, LOCI_MAX_RANK> sources_{};
};

// Calls visit(offset) with where each row of the result lies, in bytes, that a row of x became.
template <class Visit>
void visit_padded_rows(const sdk::PadPlan& plan, std::int64_t row, const Visit& visit) {
  std::array<sdk::PadPlaces, LOCI_MAX_RANK> places;
  std::array<std::int64_t, LOCI_MAX_RANK> turn{};
  const std::size_t axes = plan.rank() - 1;
  for (std::size_t i = axes; i-- > 0;) {
    places[i] = sdk::pad_places(plan.axis(i), plan.mode(), row % plan.axis(i).extent);
    row /= plan.axis(i).extent;
    if (places[i].count == 0) return;
  }
  const auto advance = [&] {
    for (std::size_t i = axes; i-- > 0;) {
      if (++turn[i] < places[i].count) return true;
      turn[i] = 0;
    }
    return false;
  };
  do {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < axes; ++i) offset += places[i].at(turn[i]) * plan.padded_stride(i);
    visit(offset);
  } while (advance());
}

}  // namespace loci::kernels
