// Kernels of float32 for halves, which are converted a few rows at a time, in the cache: for ops
// whose rows have nothing to do with each other. A row may be a single element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <utility>

#include "plugins/kernels/widened.h"

namespace loci::kernels {

// The arguments of such an op: bits for the inputs and outputs of which each row has a part of its
// own. All rows share the others.
struct RowArguments {
  ArgumentCounts counts;
  std::uint32_t inputs;
  std::uint32_t outputs = 1;
  // True if output 0 may take the memory of input 0.
  bool in_place = false;
};

// Cuts rows into chunks that stay in the first caches as float32. Those of halves that all rows
// share are converted once, in the workspace. Immutable; any number of threads may run() at once.
class WideRows {
 public:
  // An element of the longest argument costs one thread `picoseconds`.
  WideRows(const sdk::Host& host, const sdk::OpDesc& op, std::int64_t rows,
           const RowArguments& arguments, std::int64_t picoseconds);

  // Returns true if there are rows, and a row fits.
  [[nodiscard]] bool suits() const;
  // The rows of a chunk, and of the last one if it has fewer; kernels are prepared for both.
  [[nodiscard]] std::int64_t chunk_rows() const { return chunk_; }
  [[nodiscard]] std::int64_t last_rows() const { return rows_ % chunk_; }
  [[nodiscard]] std::uint64_t workspace_bytes() const { return shared_bytes_; }

  // Calls body(launch, is_last_and_shorter) for each chunk, from several threads.
  template <class Body>
  void run(const sdk::Launch& launch, const Body& body) const {
    widen_shared(launch);
    const std::int64_t chunks = (rows_ + chunk_ - 1) / chunk_;
    host_->parallel_for(0, chunks, grain_, [&](std::int64_t begin, std::int64_t end) {
      Chunk chunk(*this, launch);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t count = chunk_ * (i + 1) <= rows_ ? chunk_ : last_rows();
        body(chunk.widen(i * chunk_, count), count != chunk_);
        chunk.narrow();
      }
    });
  }

 private:
  static constexpr std::size_t kMost = WideArguments::kMost;
  // Elements of a thread's chunk: 64 KiB.
  static constexpr std::int64_t kMostElements = 16384;

  struct Argument {
    std::int64_t elements = 0;  // of a row; 0: shared
    std::int64_t bytes = 0;     // of an element
    std::int64_t count = 0;     // of all, if shared and converted
    std::int64_t offset = 0;    // of the float32 elements of one row, or in the workspace
    bool is_wide = false;       // converted
  };

  // The memory and arguments that one thread works on.
  class Chunk {
   public:
    Chunk(const WideRows& rows, const sdk::Launch& launch);
    // The arguments of `count` rows from `first` on; valid until the next call.
    sdk::Launch widen(std::int64_t first, std::int64_t count);
    void narrow();

   private:
    void* place(const Argument& argument, const loci_view& view);

    const WideRows& rows_;
    const sdk::Launch& launch_;
    std::int64_t first_ = 0;
    std::int64_t count_ = 0;
    std::array<loci_view, kMost> inputs_;
    std::array<loci_view, kMost> outputs_;
    std::array<const loci_view*, kMost> input_pointers_;
    std::array<const loci_view*, kMost> output_pointers_;
    loci_launch raw_;
    alignas(64) float wide_[kMostElements];
  };

  void add(Argument* argument, const sdk::Arg& described, bool has_rows);
  void widen_shared(const sdk::Launch& launch) const;

  const sdk::Host* host_;
  loci_dtype dtype_;
  ArgumentCounts counts_;
  std::int64_t rows_;
  std::int64_t chunk_ = 1;
  std::int64_t grain_ = 1;
  std::int64_t row_elements_ = 0;  // float32 ones of a row, of all arguments
  std::int64_t longest_ = 0;       // of a row's parts
  std::uint64_t shared_bytes_ = 0;
  std::array<Argument, kMost> inputs_;
  std::array<Argument, kMost> outputs_;
};

// Kernel is one for float32.
template <class Kernel>
struct WidenedRows {
  void launch(const sdk::Launch& launch) const {
    rows.run(launch,
             [&](const sdk::Launch& wide, bool is_last) { (is_last ? last : chunk).launch(wide); });
  }
  WideRows rows;
  Kernel chunk;
  Kernel last;
};

// Prepares an op of halves by kernel_for(rows), a kernel of float32 for so many rows without a
// workspace, a few rows at a time if a row fits the cache, else all at once.
template <class KernelFor>
void emplace_widened_rows(sdk::Prepare& prepare, std::int64_t rows, const RowArguments& arguments,
                          std::int64_t picoseconds, const KernelFor& kernel_for) {
  using Kernel = decltype(kernel_for(rows));
  WideRows wide(prepare.host(), prepare.op(), rows, arguments, picoseconds);
  if (!wide.suits()) {
    return emplace_widened(prepare, arguments.counts, 0, kernel_for(rows));
  }
  prepare.set_workspace(wide.workspace_bytes());
  prepare.emplace<WidenedRows<Kernel>>(wide, kernel_for(wide.chunk_rows()),
                                       kernel_for(wide.last_rows()));
}

}  // namespace loci::kernels
