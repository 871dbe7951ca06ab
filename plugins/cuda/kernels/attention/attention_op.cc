#include "kernels/attention/attention_op.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loci::cuda {
namespace {

enum Slot : std::uint32_t { kQuery, kKey, kValue, kMask };

constexpr int kFewestQueries = kAttentionRows;
static_assert(kHasSpans<kFewestQueries>);
// A span has so many keys at least: fewer are no longer on their way than a second launch is.
constexpr std::int64_t kFewestSpanKeys = 512;
constexpr std::int64_t kMostTileKeys = 128;

std::int64_t round_up(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

std::int64_t tiles_of(const AttentionArguments& op, int queries) {
  return (op.queries + queries - 1) / queries;
}

// Steps of the scores' dimensions, which the mask is broadcast to.
void take_mask_steps(AttentionArguments& op, sdk::Dims dims) {
  std::array<std::int64_t, 4> steps{};
  std::int64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    steps[i + steps.size() - dims.size()] = dims[i] == 1 ? 0 : step;
    step *= dims[i];
  }
  op.mask_batch = steps[0];
  op.mask_head = steps[1];
  op.mask_query = steps[2];
  op.mask_key = static_cast<std::int32_t>(steps[3]);
}

}  // namespace

AttentionArguments attention_arguments(const sdk::OpDesc& op, const AttentionOptions& options) {
  const auto [heads, factor, zero_hidden] = options;
  const sdk::Dims query = op.input(kQuery).dims();
  const sdk::Dims value = op.input(kValue).dims();
  AttentionArguments arguments{};
  arguments.heads = fast_divmod_of(heads);
  arguments.queries = query[1];
  arguments.keys = value[1];
  arguments.width = static_cast<std::int32_t>(query[2] / heads);
  arguments.value_width = static_cast<std::int32_t>(value[2] / heads);
  arguments.rows = query[0] * query[1] * heads;
  arguments.columns = fast_divmod_of(arguments.value_width);
  const double usual = 1 / std::sqrt(static_cast<double>(arguments.width));
  arguments.factor = static_cast<float>(factor == 0 ? usual : factor);
  // Without keys all results are those of nothing.
  arguments.zeroes_hidden = arguments.keys == 0 || (op.has_input(kMask) && zero_hidden);
  if (op.has_input(kMask)) take_mask_steps(arguments, op.input(kMask).dims());
  return arguments;
}

int attention_width(std::int64_t widest) {
  for (const int width : {64, 128}) {
    if (widest <= width) return width;
  }
  return 0;
}

int attention_queries(const AttentionArguments& op, std::int64_t batch, int most,
                      std::int64_t multiprocessors) {
  int queries = most;
  const auto is_large = [&] {
    return op.queries <= queries / 2 ||
           batch * op.heads.value * tiles_of(op, queries) < multiprocessors;
  };
  while (queries > kFewestQueries && is_large()) queries /= 2;
  return queries;
}

void take_attention_tiles(AttentionArguments& op, std::int64_t batch, int queries) {
  const std::int64_t tiles = tiles_of(op, queries);
  op.query_tiles = fast_divmod_of(tiles);
  op.tiles = batch * op.heads.value * tiles;
  op.spans = fast_divmod_of(1);
  op.span_keys = op.keys;
}

void take_attention_spans(AttentionArguments& op, int queries, std::int64_t multiprocessors) {
  if (queries != kFewestQueries) return;
  const std::int64_t most =
      std::min(op.keys / kFewestSpanKeys, multiprocessors / std::max<std::int64_t>(op.tiles, 1));
  if (most < 2) return;
  op.span_keys = round_up((op.keys + most - 1) / most, kMostTileKeys);
  op.spans = fast_divmod_of((op.keys + op.span_keys - 1) / op.span_keys);
}

std::uint64_t attention_span_bytes(const AttentionArguments& op) {
  if (op.spans.value == 1) return 0;
  return static_cast<std::uint64_t>(op.spans.value * op.rows * (op.value_width + 2)) *
         sizeof(float);
}

void place_attention_spans(AttentionArguments& op, void* workspace) {
  if (op.spans.value == 1) return;
  // Totals first: they are pairs.
  op.span_totals = static_cast<float*>(workspace);
  op.span_results = op.span_totals + op.spans.value * op.rows * 2;
}

}  // namespace loci::cuda
