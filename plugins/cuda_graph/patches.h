// Addresses that are exchanged in an executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "argument_words.h"

namespace loci::cuda_graph {

// The patches of an executable that does what `captured` says, but for these. Nodes are given to
// the driver once, however many of their addresses are others.
class Patches {
 public:
  Patches(std::shared_ptr<const Driver> driver, std::shared_ptr<const Captured> captured)
      : driver_(std::move(driver)), captured_(std::move(captured)) {}

  // Throws Error, and nothing has changed; with LOCI_CODE_UNSUPPORTED where nobody can tell which
  // words of the item's nodes have the argument, or the work could be another for that address.
  void set(std::uint64_t item, std::uint32_t argument, void* address);
  // Gives the executable what it has not yet of what was set. The driver knows the nodes of it by
  // those of `origin`, which has as many. Throws Error; the next call goes on then.
  void give(CUgraphExec exec, const Captured& origin);

 private:
  // An op some argument of which was to be another one.
  struct Known {
    std::vector<NodeParameters> nodes;
    std::vector<ArgumentWords> arguments;
    bool is_copy = false;  // between any two addresses
  };

  Known& known(std::uint64_t item);
  [[nodiscard]] Known learn(const Op& op) const;
  [[noreturn]] void refuse(loci_code code, const std::string& why) const;

  std::shared_ptr<const Driver> driver_;
  std::shared_ptr<const Captured> captured_;
  std::unordered_map<std::uint64_t, Known> known_;           // by item
  std::set<std::pair<std::uint64_t, std::size_t>> changed_;  // item, node of it
};

}  // namespace loci::cuda_graph
