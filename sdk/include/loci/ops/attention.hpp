// Attention. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// softmax(factor * Q K^T + mask) V for each head (Vaswani et al., Attention Is All You Need, 2017,
// 3.2). query: [batch, queries, width], key: [batch, keys, width], value: [batch, keys, value
// width]; each of the `heads` has its part of the widths, which it divides, side by side. mask:
// broadcast to [batch, heads, queries, keys]; -infinity hides a key, and all keys of a
// query that gives 0. factor: 0 is 1 / sqrt(width / heads). Result: [batch, queries, value width].
template <class V>
LOCI_OP V attention(const V& query, const V& key, const V& value, std::int64_t heads = 1,
                    const V& mask = V(), double factor = 0) {
  return OpCall<V>("attention")
      .input("query", query)
      .input("key", key)
      .input("value", value)
      .input("mask", mask)
      .attr("heads", heads)
      .attr("factor", factor)
      .result();
}

}  // namespace v0
}  // namespace loci
