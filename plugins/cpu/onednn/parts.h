// An op in parts that the thread team takes, each a primitive of one thread.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "plugins/cpu/onednn/execution.h"

namespace loci::cpu::onednn {

// Immutable; run() may be called from several threads.
class Parts {
 public:
  // `threads` that prepare what several parts read. One part at least.
  Parts(std::vector<Execution> parts, std::uint32_t threads);

  [[nodiscard]] const Elements& elements() const { return parts_.front().elements(); }

  // An input that launches get as the primitives like it, packed part by part.
  struct Packed {
    struct Piece {
      Slice given;  // of the op's, of elements that are widened already
      Slice chosen;
    };
    std::uint32_t index;
    Elements elements;
    std::vector<Piece> pieces;
    std::uint64_t bytes;
  };
  [[nodiscard]] const std::vector<Packed>& packed() const { return packed_; }

  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void run(const sdk::Host& host, const sdk::Launch& launch) const;

 private:
  // What several parts read in the same other layout is reordered before them, in pieces that the
  // team takes as well.
  struct Preparation {
    std::uint32_t index;
    Slice from;
    dnnl::memory::desc to;
    std::uint64_t offset;  // in the workspace
    dnnl::reorder reorder;
  };

  void pack();
  void add_to(Packed* packed, Execution::Binding* binding) const;
  void prepare_shared(std::uint32_t threads);
  void prepare(const Execution::Binding& shared, std::uint32_t threads);
  static void reorder(const Preparation& preparation, const sdk::Launch& launch);

  std::vector<Execution> parts_;
  std::vector<Packed> packed_;
  std::vector<Preparation> preparations_;
  std::uint64_t workspace_bytes_ = 0;
};

}  // namespace loci::cpu::onednn
