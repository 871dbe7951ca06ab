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

// Returns a launch's arguments without addresses and tiles, for heads that attention_width() takes.
AttentionArguments attention_arguments(const sdk::OpDesc& op, const AttentionOptions& options);

// The width that kernels are made for: of heads as wide as `widest`, or 0 if there are none.
int attention_width(std::int64_t widest);

// The queries of a tile: many read keys and values less often, unless most processors would idle.
int attention_queries(const AttentionArguments& op, std::int64_t batch, int most,
                      std::int64_t multiprocessors);

// Divides the queries among tiles of so many, for a single span of keys.
void take_attention_tiles(AttentionArguments& op, std::int64_t batch, int queries);

// Divides many keys into spans, if tiles would keep less than half of the multiprocessors busy.
void take_attention_spans(AttentionArguments& op, int queries, std::int64_t multiprocessors);
// The results of spans have so many bytes, and are placed in these.
std::uint64_t attention_span_bytes(const AttentionArguments& op);
void place_attention_spans(AttentionArguments& op, void* workspace);

}  // namespace loci::cuda
