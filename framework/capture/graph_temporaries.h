// Memory that only launches of one graph use: of what a capture makes and nobody has after it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "framework/tensor/tensor_impl.h"

namespace loci::capture {

// Since nobody else has its address, it may lie elsewhere in replays.
struct GraphTemporary {
  // An argument of a launch, as device_graph::Address has it, that lies in it.
  struct Use {
    std::uint32_t item = 0;
    std::uint32_t argument = 0;
  };
  std::uintptr_t data = 0;
  std::uint64_t bytes = 0;
  std::vector<Use> uses;  // in the order of the launches, of which the first one writes all of it
};

// Told by a capture under way.
class GraphTemporaries {
 public:
  // A launch uses what the capture has made.
  void note_use(const std::shared_ptr<tensor::Storage>& storage, GraphTemporary::Use use);
  void note_workspace(const void* data, std::uint64_t bytes, std::uint32_t item);
  // Something else uses it, too, which keeps the address.
  void pin(const std::shared_ptr<tensor::Storage>& storage);

  // At the end of the capture, once: without what still has an owner.
  [[nodiscard]] std::vector<GraphTemporary> take_ended();

 private:
  struct Made {
    GraphTemporary temporary;
    std::weak_ptr<tensor::Storage> owner;  // none of a workspace
    bool is_pinned = false;
  };
  Made& of(const std::shared_ptr<tensor::Storage>& storage);

  std::vector<Made> all_;
  // The latest at that address: another storage may lie there since.
  std::unordered_map<const tensor::Storage*, std::size_t> index_;
};

}  // namespace loci::capture
