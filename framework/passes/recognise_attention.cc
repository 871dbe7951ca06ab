#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;
using Order = std::vector<std::int64_t>;

// Fewer scores stay in a cache of the host, where two products and a softmax are as fast as the op,
// and faster with few heads; of more the op, which never has all of them, is faster and takes less
// memory. For a device each of them is one more kernel that it waits for.
constexpr std::int64_t kFewestScores = std::int64_t{1} << 22;

// The most transposes in a row that are followed.
constexpr int kMostTransposes = 2;

// x with its dimensions in another order.
struct Moved {
  VarId x = program::kNoVar;
  Order order;
};

Moved untransposed(const Expressions& expressions, VarId id) {
  Moved moved{id, Order(static_cast<std::size_t>(expressions.rank(id)))};
  std::iota(moved.order.begin(), moved.order.end(), 0);
  for (int i = 0; i < kMostTransposes; ++i) {
    const Operator* transpose = expressions.producer(moved.x, "transpose");
    if (transpose == nullptr) break;
    const auto& perm = std::get<Order>(transpose->attributes.at("perm"));
    const auto rank = static_cast<std::int64_t>(perm.size());
    for (std::int64_t& axis : moved.order) {
      const std::int64_t from = perm[static_cast<std::size_t>(axis)];
      axis = from < 0 ? from + rank : from;
    }
    moved.x = argument(*transpose);
  }
  return moved;
}

// [batch, length, heads * width] and [batch, length, heads, width].
bool parts_heads(const Shape& together, const Shape& apart) {
  return together.rank() == 3 && apart.rank() == 4 && together.is_static() && apart.is_static() &&
         together[0] == apart[0] && together[1] == apart[1] && together[2] == apart[2] * apart[3];
}

// Returns the [batch, length, heads * width] from which an operand of a product is made: one with
// rank 3 has a single head, one with rank 4 is [batch, heads, length, width]. In a product that
// transposes it, the last two are swapped.
std::optional<VarId> together(const Expressions& expressions, VarId operand, bool swapped) {
  Moved moved = untransposed(expressions, operand);
  const std::size_t rank = moved.order.size();
  if (rank != 3 && rank != 4) return std::nullopt;
  if (swapped) std::swap(moved.order[rank - 1], moved.order[rank - 2]);
  if (rank == 3) {
    const bool is_usable = moved.order == Order{0, 1, 2} && expressions.shape(moved.x).is_static();
    return is_usable ? std::optional(moved.x) : std::nullopt;
  }
  const Operator* reshape = expressions.producer(moved.x, "reshape");
  if (reshape == nullptr || moved.order != Order{0, 2, 1, 3}) return std::nullopt;
  const VarId x = argument(*reshape);
  const bool fits = parts_heads(expressions.shape(x), expressions.shape(moved.x));
  return fits ? std::optional(x) : std::nullopt;
}

bool transposes(const Operator& product, const char* operand) {
  return std::get<bool>(product.attributes.at(operand));
}

// softmax(factor * query key^T + mask).
struct Weights {
  VarId query = program::kNoVar;
  VarId key = program::kNoVar;
  VarId mask = program::kNoVar;
  double factor = 1;
};

// Without a mask: numbers may stand at the scores, at the queries and at the keys.
std::optional<Weights> scores(const Expressions& expressions, VarId id) {
  const Linear outer = expressions.multiple(id);
  const Operator* product = expressions.producer(outer.x, "matmul");
  if (product == nullptr) return std::nullopt;
  const Linear left = expressions.multiple(argument(*product, 0));
  const Linear right = expressions.multiple(argument(*product, 1));
  const auto query = together(expressions, left.x, transposes(*product, "transpose_x"));
  const auto key = together(expressions, right.x, !transposes(*product, "transpose_y"));
  if (!query || !key) return std::nullopt;
  const double factor = outer.factor * left.factor * right.factor;
  if (factor == 0 || !std::isfinite(factor)) return std::nullopt;
  return Weights{*query, *key, program::kNoVar, factor};
}

std::optional<Weights> masked_scores(const Expressions& expressions, VarId id) {
  const Operator* sum = expressions.producer(id, "elementwise_add");
  if (sum == nullptr) return scores(expressions, id);
  for (const std::size_t slot : {0U, 1U}) {
    std::optional<Weights> found = scores(expressions, argument(*sum, slot));
    if (!found || expressions.shape(id) != expressions.shape(argument(*sum, slot))) continue;
    found->mask = argument(*sum, 1 - slot);
    return found;
  }
  return std::nullopt;
}

std::optional<Weights> weights(const Expressions& expressions, VarId id) {
  const Operator* softmax = expressions.producer(id, "softmax");
  if (softmax == nullptr) return std::nullopt;
  const auto axis = std::get<std::int64_t>(softmax->attributes.at("axis"));
  if (axis != -1 && axis != expressions.rank(id) - 1) return std::nullopt;
  return masked_scores(expressions, argument(*softmax));
}

// The product that the root is: itself for a single head, else with the heads put together.
const Operator* product_of(const Operator& root, const Expressions& expressions) {
  if (root.type() == "matmul") return expressions.rank(result(root)) == 3 ? &root : nullptr;
  if (root.type() != "reshape") return nullptr;
  const Moved moved = untransposed(expressions, argument(root));
  if (moved.order != Order{0, 2, 1, 3}) return nullptr;
  const bool fits = parts_heads(expressions.shape(result(root)), expressions.shape(argument(root)));
  return fits ? expressions.producer(moved.x, "matmul") : nullptr;
}

}  // namespace

std::optional<Recognised> recognise_attention(const Operator& root,
                                              const Expressions& expressions) {
  const Operator* product = product_of(root, expressions);
  if (product == nullptr || transposes(*product, "transpose_x")) return std::nullopt;
  const VarId probabilities = argument(*product);
  if (!expressions.shape(probabilities).is_static()) return std::nullopt;
  const std::optional<Weights> found = weights(expressions, probabilities);
  if (!found) return std::nullopt;
  const auto value =
      together(expressions, argument(*product, 1), transposes(*product, "transpose_y"));
  if (!value) return std::nullopt;
  const bool has_heads = expressions.rank(probabilities) == 4;
  const std::int64_t heads = has_heads ? expressions.written_extent(probabilities, 1) : 1;
  Recognised attention{"attention",
                       {{"query", found->query}, {"key", found->key}, {"value", *value}},
                       {{"heads", heads}, {"factor", found->factor}}};
  attention.pays_on_host = !expressions.has_fewer_than(probabilities, kFewestScores);
  if (found->mask != program::kNoVar) {
    attention.inputs.emplace_back("mask", found->mask);
    attention.attributes.emplace("zero_hidden", false);  // as a softmax has it
  }
  return attention;
}

}  // namespace loci::passes
