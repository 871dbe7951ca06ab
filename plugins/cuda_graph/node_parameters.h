// The parameters that a node computes with, as the driver tells and an executable takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "captured.h"

namespace loci::cuda_graph {

// The parameters of a kernel, a copy or a fill, in words of 8 bytes, which may be addresses: each
// parameter of a kernel begins one, a copy has its source and target, a fill its target.
class NodeParameters {
 public:
  // Throws Error(LOCI_CODE_UNSUPPORTED) where the driver does not tell them.
  NodeParameters(const Driver& driver, const Node& node);

  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  void set_word(std::size_t index, std::uint64_t value) { words_[index] = value; }
  // Later launches of the executable do by `node`, which is of the same kind, what this says.
  // Throws Error, with what is being done.
  void give(const Driver& driver, CUgraphExec exec, CUgraphNode node, const std::string& action);

 private:
  void read_kernel(const Driver& driver, CUgraphNode node);
  void read_copy(const Driver& driver, CUgraphNode node);
  void read_fill(const Driver& driver, CUgraphNode node);

  std::variant<CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS> parameters_;
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> firsts_;  // words of the parameters of a kernel
};

}  // namespace loci::cuda_graph
