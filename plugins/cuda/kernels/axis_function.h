// The kernels of axis_vectors.cuh, as families prepare and launch them.
#pragma once

#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "kernels/kernel_function.h"
#include "kernels/vector_layout.h"

namespace loci::cuda {

// Vectors along an axis, of elements of a dtype: rows if they lie side by side.
struct AxisVectors {
  bool are_rows;
  int held;  // which instance of a kernel suits
  VectorLayout layout;
};
AxisVectors axis_vectors(const sdk::AxisSplit& split, loci_dtype dtype);

// Rows that are `outer` runs of `run` elements each, which are `step` apart; the first run of the
// next row lies behind that of the one before.
struct RunRows {
  std::int64_t rows;
  std::int64_t outer;
  std::int64_t run;
  std::int64_t step;
};
AxisVectors run_vectors(const RunRows& rows, loci_dtype dtype);

// One of the kernels of an operation, prepared. Immutable.
class AxisFunction {
 public:
  // NAME_rows_HELD or NAME_columns_HELD of the image. Throws Error.
  AxisFunction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
               const AxisVectors& vectors);

  // `arguments` is a struct that both sides share. Throws Error.
  template <class Arguments>
  void launch(const sdk::Launch& launch, const Arguments& arguments) const {
    function_.launch(launch, threads_, arguments, layout_);
  }

 private:
  VectorLayout layout_;
  std::int64_t threads_;
  KernelFunction function_;
};

}  // namespace loci::cuda
