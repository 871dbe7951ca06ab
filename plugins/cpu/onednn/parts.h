// An op in parts that the thread team takes, each a primitive of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "plugins/cpu/onednn/cut.h"
#include "plugins/cpu/onednn/execution.h"
#include "plugins/cpu/onednn/workspace.h"

namespace loci::cpu::onednn {

// Immutable; run() may be called from several threads.
class Parts {
 public:
  // One for each range of the cut; `threads` that prepare what several of them read.
  Parts(std::vector<Execution> parts, Cut cut, std::uint32_t threads);

  [[nodiscard]] const Cut& cut() const { return cut_; }

  [[nodiscard]] const Elements& elements() const { return parts_.front().elements(); }

  // In which all of them write output 0; nothing if they differ.
  [[nodiscard]] std::optional<kernels::ImageLayout> output_layout() const;

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

  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_.bytes(); }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void run(const sdk::Host& host, const sdk::Launch& launch) const {
    run(host, launch, [](std::size_t) {});
  }
  // Calls finish(i) after the part of the cut's range i, on its thread.
  template <class Finish>
  void run(const sdk::Host& host, const sdk::Launch& launch, const Finish& finish) const {
    workspace_.paint(launch.workspace<std::byte>());
    on_team(host, preparations_.size(), [&](std::size_t i) { reorder(preparations_[i], launch); });
    on_team(host, parts_.size(), [&](std::size_t i) {
      parts_[i].run(launch);
      finish(i);
    });
    workspace_.check(launch.workspace<std::byte>());
  }

 private:
  // Data that several parts read in one other layout is reordered before them, in pieces that the
  // team takes as well.
  struct Preparation {
    std::uint32_t index;
    Slice from;
    dnnl::memory::desc to;
    std::uint64_t offset;  // in the workspace
    dnnl::reorder reorder;
  };

  template <class Body>
  static void on_team(const sdk::Host& host, std::size_t count, const Body& body) {
    host.parallel_for(0, static_cast<std::int64_t>(count), 1,
                      [&](std::int64_t begin, std::int64_t end) {
                        const SerialOpenMp serial;
                        for (std::int64_t i = begin; i < end; ++i) {
                          body(static_cast<std::size_t>(i));
                        }
                      });
  }

  void pack();
  void add_to(Packed* packed, Execution::Binding* binding) const;
  void prepare_shared(std::uint32_t threads);
  void prepare(const Execution::Binding& shared, std::uint64_t offset, std::uint32_t threads);
  static void reorder(const Preparation& preparation, const sdk::Launch& launch);

  std::vector<Execution> parts_;
  Cut cut_;
  std::vector<Packed> packed_;
  std::vector<Preparation> preparations_;
  Workspace workspace_;
};

}  // namespace loci::cpu::onednn
