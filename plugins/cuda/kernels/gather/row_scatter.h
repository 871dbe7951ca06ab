// Updates of the rows of a table, as ops of several kinds prepare them.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/gather/row_sort.h"
#include "kernels/gather/scatter_rows.h"
#include "kernels/launch/kernel_function.h"

namespace loci::cuda {

// Writes rows of updates to those of a table that int64 ids name, which another kernel has made and
// found to be there. By scatter_rows.cu; immutable.
class RowScatter {
 public:
  // A scatter writes updates by a reduction, or the gradient of updates without one.
  enum class Kind : std::uint8_t { kUpdates, kGradient };

  // The op's input 0 says what elements there are. Throws Error.
  RowScatter(const sdk::Prepare& prepare, Kind kind, const std::string& reduction,
             const ScatterRows& scatter, std::int64_t rows);

  // Bytes of workspace, the ids at the beginning of which are the caller's to make.
  static std::uint64_t workspace_bytes(std::int64_t count) {
    return static_cast<std::uint64_t>(count) * sizeof(std::int64_t) +
           RowSort::workspace_bytes(count);
  }

  // `from` has the updates, or the gradient of the result; `to` is the table, or the gradient of
  // the updates.
  void launch(const sdk::Launch& launch, const void* from, void* to) const;

 private:
  ScatterRows scatter_;
  std::optional<Reduction> reduction_;
  RowSort sort_;
  KernelFunction write_;
};

}  // namespace loci::cuda
