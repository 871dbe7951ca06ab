// How attention is laid out on blocks.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "kernels/attention/attention_arguments.h"

namespace loci::cuda {

struct AttentionOptions {
  std::int64_t heads;
  double factor;
  bool zero_hidden;
};

// What a launch has but for the addresses and the tiles; of heads that attention_width() takes.
AttentionArguments attention_arguments(const sdk::OpDesc& op, const AttentionOptions& options);

// The width that kernels are made for: of heads as wide as `widest`, or 0 if there are none.
int attention_width(std::int64_t widest);

// Of a tile: many, which read keys and values less often, unless most multiprocessors would idle.
int attention_queries(const AttentionArguments& op, std::int64_t batch, int most,
                      std::int64_t multiprocessors);

// Divides the queries among tiles of so many, for a single span of keys.
void take_attention_tiles(AttentionArguments& op, std::int64_t batch, int queries);

// Divides many keys into spans, if tiles would keep less than half of the multiprocessors busy.
void take_attention_spans(AttentionArguments& op, int queries, std::int64_t multiprocessors);
// What they leave: the bytes, and where in these.
std::uint64_t attention_span_bytes(const AttentionArguments& op);
void place_attention_spans(AttentionArguments& op, void* workspace);

}  // namespace loci::cuda
