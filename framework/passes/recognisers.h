// Recognisers of what several operators mean together, pattern by pattern.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/passes/recognition_vocabulary.h"

namespace loci::passes {

// The op that computes what `root` does, and from what; all between is no longer needed.
struct Recognised {
  std::string type;
  std::vector<std::pair<std::string, program::VarId>> inputs;  // by name of the slot
  Attributes attributes;                                       // but for defaults
  // Otherwise the host is as fast with the operators that it stands for.
  bool pays_on_host = true;
};

// Each looks at the operator as the last one of its pattern. What it says holds for the values
// alone: places, other readers and kernels are the caller's.
using Recogniser = std::optional<Recognised> (*)(const program::Operator& root,
                                                 const Expressions& expressions);

// 0.5 x (1 + erf(x / sqrt(2))) or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), multiplied in
// any order.
std::optional<Recognised> recognise_gelu(const program::Operator& root,
                                         const Expressions& expressions);

// (x + 3) / 6, clipped to 0 and 1 before it is divided or after.
std::optional<Recognised> recognise_hard_sigmoid(const program::Operator& root,
                                                 const Expressions& expressions);
// x times the hard_sigmoid of it.
std::optional<Recognised> recognise_hard_swish(const program::Operator& root,
                                               const Expressions& expressions);

// exp(x - max(x)) / sum(exp(x - max(x))) along one axis.
std::optional<Recognised> recognise_softmax(const program::Operator& root,
                                            const Expressions& expressions);
// log(softmax(x)), or x - max(x) - log(sum(exp(x - max(x)))).
std::optional<Recognised> recognise_log_softmax(const program::Operator& root,
                                                const Expressions& expressions);

// (x - mean(x)) / sqrt(mean(square(x - mean(x))) + epsilon) over the last dimensions.
std::optional<Recognised> recognise_layer_norm(const program::Operator& root,
                                               const Expressions& expressions);
// A layer_norm times, or plus, a number for each element of its rows.
std::optional<Recognised> recognise_row_parameter(const program::Operator& root,
                                                  const Expressions& expressions);

// softmax(factor * query key^T + mask) value, for matrices in a batch, or for heads that are parted
// before and put together behind it.
std::optional<Recognised> recognise_attention(const program::Operator& root,
                                              const Expressions& expressions);

}  // namespace loci::passes
