#include "argument_words.h"

namespace loci::cuda_graph {
namespace {

using cuda::RecordedArgument;

bool has(const RecordedArgument& argument, std::uint64_t word) {
  return word - argument.address < argument.bytes;  // modulo 2^64 where it is less
}

bool overlap(const RecordedArgument& one, const RecordedArgument& other) {
  return one.bytes > 0 && other.bytes > 0 && (has(one, other.address) || has(other, one.address));
}

// Why no word could be its own alone.
std::string ambiguity(const std::vector<RecordedArgument>& arguments, std::size_t index) {
  if (arguments[index].bytes == 0) return "it has no memory of the device";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i == index || !overlap(arguments[i], arguments[index])) continue;
    return "it shares memory with argument " + std::to_string(i);
  }
  return {};
}

std::vector<AddressWord> words_within(const RecordedArgument& argument,
                                      const std::vector<NodeParameters>& nodes) {
  std::vector<AddressWord> found;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::vector<std::uint64_t>& words = nodes[node].words();
    for (std::size_t word = 0; word < words.size(); ++word) {
      if (has(argument, words[word])) found.push_back({node, word, words[word] - argument.address});
    }
  }
  return found;
}

}  // namespace

std::vector<ArgumentWords> argument_words(const std::vector<RecordedArgument>& arguments,
                                          const std::vector<NodeParameters>& nodes) {
  std::vector<ArgumentWords> result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ArgumentWords argument{arguments[i].address, {}, ambiguity(arguments, i)};
    if (argument.refusal.empty()) {
      argument.words = words_within(arguments[i], nodes);
      if (argument.words.empty()) argument.refusal = "it is in no parameter";
    }
    result.push_back(std::move(argument));
  }
  return result;
}

}  // namespace loci::cuda_graph
