// Row ids sorted on the device, with the position of each, for sums that do not hang on the order
// in which a device does its work.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "kernels/gather/index_fault.h"
#include "kernels/gather/row_names.h"
#include "kernels/launch/kernel_function.h"

namespace loci::cuda {

// Sorts ids by their rows with the kernels of row_sort.cu. Immutable.
class RowSort {
 public:
  // Sorts `count` ids of a table of `rows` rows, those that name none behind all that do; they are
  // that argument, as IndexRecord has it. Throws Error.
  RowSort(const sdk::Prepare& prepare, loci_dtype ids, std::int64_t count, std::int64_t rows,
          RowNames names, const char* argument);

  // Why so many cannot be sorted; empty if they can.
  static std::string refusal(std::int64_t rows, std::int64_t count);
  static std::uint64_t workspace_bytes(std::int64_t count);

  // Keys as row_keys.cuh has them, in the workspace. An id outside of the table ends the context.
  const std::uint64_t* launch(const sdk::Launch& launch, const void* ids,
                              std::uint64_t* workspace) const;

 private:
  std::int64_t count_;
  std::int64_t rows_;
  RowNames names_;
  IndexWatch watch_;
  KernelFunction sort_;
  KernelFunction merge_;
};

}  // namespace loci::cuda
