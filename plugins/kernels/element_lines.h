// The elements of a table that an index names along an axis, and which thread has which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/axis_walk.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/positions.h"

namespace loci::kernels {

// Lines of an index run along the axis. What two of them name differs, and each belongs to one
// thread, so that no order hangs on the threads. Lines that lie side by side in both tensors, a run
// of them, are walked together. The index may be shorter than the table along other axes.
class ElementLines {
 public:
  ElementLines(sdk::Dims table, sdk::Dims index, std::int64_t axis_attribute)
      : axis_(sdk::axis_index(axis_attribute, table.size())),
        extent_(table[axis_]),
        steps_(index[axis_]),
        inner_(sdk::numel_of(index.tail(axis_ + 1))),
        count_(sdk::numel_of(index)) {
    const sdk::Strides strides = sdk::dense_strides(table);
    step_ = strides[axis_];
    const sdk::AxisList after = merged(table, index, strides, axis_ + 1, table.size());
    before_ = merged(table, index, strides, 0, axis_);
    if (after.rank == 0) return;
    const auto last = static_cast<std::size_t>(after.rank - 1);
    run_ = after.extents[last];
    for (std::size_t i = 0; i < last; ++i) between_.push_back(after.extents[i], after.strides[i]);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }  // elements of the index
  [[nodiscard]] std::int64_t lines() const { return steps_ == 0 ? 0 : count_ / steps_; }
  [[nodiscard]] std::int64_t grain() const {
    // An index without elements may have any extent.
    return count_ == 0 ? 1 : grain_for(2000 * steps_);
  }

  void check(const char* op, const sdk::Host& host, const IntegerView& index) const {
    (void)check_positions(op, host, index, count_, {&extent_, 1}, axis_);
  }

  // Calls visit(i, t) for the elements of the lines in [begin, end), i of the index and t of the
  // table; of one line in order.
  template <class Id, class Visit>
  LOCI_INLINE void walk(const Id* index, std::int64_t begin, std::int64_t end,
                        const Visit& visit) const {
    while (begin < end) {
      const std::int64_t group = begin / run_;
      const std::int64_t first = begin - group * run_;
      const std::int64_t width = std::min(run_ - first, end - begin);
      const std::int64_t outer = group / between_.count;
      const std::int64_t middle = group - outer * between_.count;
      const std::int64_t table =
          sdk::AxisWalk(before_, outer).offset() + sdk::AxisWalk(between_, middle).offset() + first;
      const std::int64_t at = outer * steps_ * inner_ + middle * run_ + first;
      if (inner_ == 1) {
        walk_last(index, at, table, visit);
      } else {
        for (std::int64_t step = 0; step < steps_; ++step) {
          walk_run(index, at + step * inner_, table, width, visit);
        }
      }
      begin += width;
    }
  }

 private:
  // One line along the last axis, whose elements lie side by side.
  template <class Id, class Visit>
  LOCI_INLINE void walk_last(const Id* index, std::int64_t at, std::int64_t table,
                             const Visit& visit) const {
    const std::int64_t extent = extent_;
    for (std::int64_t i = at; i < at + steps_; ++i) {
      visit(i, table + from_start(index[i], extent) * step_);
    }
  }
  template <class Id, class Visit>
  LOCI_INLINE void walk_run(const Id* index, std::int64_t at, std::int64_t table,
                            std::int64_t width, const Visit& visit) const {
    for (std::int64_t i = 0; i < width; ++i) {
      visit(at + i, table + i + from_start(index[at + i], extent_) * step_);
    }
  }

  // The axes in [begin, end) of the index by their steps in the table; neighbours that are walked
  // as one are one.
  static sdk::AxisList merged(sdk::Dims table, sdk::Dims index, const sdk::Strides& strides,
                              std::size_t begin, std::size_t end) {
    sdk::DimList extents;
    sdk::Strides steps{};
    for (std::size_t i = begin; i < end; ++i) {
      const bool continues = extents.rank > 0 && index[i] == table[i];
      const std::size_t at = continues ? extents.rank - 1 : extents.rank++;
      extents.extents[at] = continues ? extents.extents[at] * index[i] : index[i];
      steps[at] = strides[i];
    }
    sdk::AxisList axes;
    for (std::size_t i = 0; i < extents.rank; ++i) axes.push_back(extents.extents[i], {steps[i]});
    return axes;
  }

  std::size_t axis_;
  std::int64_t extent_;  // of the table, along the axis
  std::int64_t steps_;   // of the index, along the axis
  std::int64_t inner_;   // elements of the index behind it
  std::int64_t count_;
  std::int64_t step_ = 1;  // of the table, along the axis
  std::int64_t run_ = 1;
  sdk::AxisList before_;
  sdk::AxisList between_;  // the axis and the run
};

}  // namespace loci::kernels
