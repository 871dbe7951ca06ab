// Where the arguments of an op are in the parameters of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "captured.h"
#include "node_parameters.h"

namespace loci::cuda_graph {

// A word of a node, by the node's place among those of the op, which is an argument's address and
// so many bytes more.
struct AddressWord {
  std::size_t node = 0;
  std::size_t word = 0;
  std::uint64_t offset = 0;
};

struct ArgumentWords {
  std::uint64_t address = 0;  // that it had
  std::vector<AddressWord> words;
  std::string refusal;  // why nobody can tell which words they are; empty if they are known
};

// Finds the words of the arguments that the launch of the op was told to have: a word that lies
// within the memory of one of them, and of no other, is that one's. `nodes` are the op's.
[[nodiscard]] std::vector<ArgumentWords> argument_words(
    const std::vector<cuda::RecordedArgument>& arguments, const std::vector<NodeParameters>& nodes);

}  // namespace loci::cuda_graph
