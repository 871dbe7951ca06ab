#include "framework/ops/shape_rules.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace loci::ops {
namespace {

// Nothing if the two do not fit.
std::optional<std::int64_t> broadcast_extent(std::int64_t a, std::int64_t b) {
  if (a == b || b == 1) return a;
  if (a == 1 || a == kDynamicDim) return b;
  if (b == kDynamicDim) return a;
  return std::nullopt;
}

// The extent of `shape` at `axis` of a shape of rank `rank` to which it is aligned at the end.
std::int64_t aligned(const Shape& shape, int axis, int rank) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

}  // namespace

bool compatible(std::int64_t a, std::int64_t b) {
  return a == b || a == kDynamicDim || b == kDynamicDim;
}

bool compatible(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](std::int64_t one, std::int64_t other) { return compatible(one, other); });
}

Shape merged(const Shape& a, const Shape& b) {
  Shape result = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] == kDynamicDim) result.set(i, b[i]);
  }
  return result;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int i = 0; i < rank; ++i) {
    const auto extent = broadcast_extent(aligned(a, i, rank), aligned(b, i, rank));
    if (!extent) return std::nullopt;
    result.push_back(*extent);
  }
  return result;
}

bool may_repeat(const Shape& shape, const Shape& other) {
  if (other.rank() > shape.rank()) return true;
  for (int i = 0; i < shape.rank(); ++i) {
    const std::int64_t opposite = aligned(other, i, shape.rank());
    const bool may_be_one = shape[i] == 1 || shape[i] == kDynamicDim;
    if (may_be_one && opposite != 1) return true;
  }
  return false;
}

Shape slice(const Shape& shape, int begin, int end) {
  return Shape(shape.data() + begin, std::max(end - begin, 0));
}

std::int64_t extent_product(const InferContext& ctx, const Shape& shape, int begin, int end) {
  const Shape part = slice(shape, begin, end);
  if (std::find(part.begin(), part.end(), 0) != part.end()) return 0;
  std::int64_t product = 1;
  bool known = true;
  for (const std::int64_t extent : part) {
    if (extent == kDynamicDim) {
      known = false;
    } else if (product > std::numeric_limits<std::int64_t>::max() / extent) {
      ctx.fail("the product of {} does not fit into 63 bits; use smaller extents",
               part.to_string());
    } else {
      product *= extent;
    }
  }
  return known ? product : kDynamicDim;
}

std::array<bool, Shape::kMaxRank> named_axes(const InferContext& ctx, std::string_view attribute,
                                             int rank) {
  const auto& axes = ctx.attr<std::vector<std::int64_t>>(attribute);
  std::array<bool, Shape::kMaxRank> named{};
  for (const std::int64_t given : axes) {
    if (given < -rank || given >= rank) {
      if (rank == 0)
        ctx.fail("{} {} names a dimension, but there is none", attribute, to_string(axes));
      ctx.fail("{} {} has {}; give axes in [{}, {})", attribute, to_string(axes), given, -rank,
               rank);
    }
    bool& entry = named[static_cast<std::size_t>(given < 0 ? given + rank : given)];
    if (entry) ctx.fail("{} {} names a dimension twice", attribute, to_string(axes));
    entry = true;
  }
  return named;
}

void require_same_dtype(const InferContext& ctx, std::string_view a, std::string_view b) {
  if (ctx.dtype(a) == ctx.dtype(b)) return;
  ctx.fail("{} is {} and {} is {}; cast one of them, both need one dtype", a,
           dtype_name(ctx.dtype(a)), b, dtype_name(ctx.dtype(b)));
}

void require_rank(const InferContext& ctx, std::string_view slot, int rank,
                  std::string_view meaning) {
  if (ctx.shape(slot).rank() == rank) return;
  ctx.fail("{} has {} dimensions; give {}: {}", slot, ctx.shape(slot).rank(), rank, meaning);
}

void require_shape(const InferContext& ctx, std::string_view slot, const Shape& expected,
                   std::string_view meaning) {
  if (compatible(ctx.shape(slot), expected)) return;
  ctx.fail("{} is {}; it must be {}, {}", slot, ctx.shape(slot).to_string(), expected.to_string(),
           meaning);
}

void require_drawn_state(const InferContext& ctx) {
  if (compatible(ctx.shape("state"), {3})) return;
  require_shape(ctx, "state", {2}, "the seed and the run");
}

void infer_like_x(InferContext& ctx) { ctx.set_output("out", ctx.input("x")); }

Shape broadcast_of(const InferContext& ctx, std::string_view a, std::string_view b) {
  const auto shape = broadcast(ctx.shape(a), ctx.shape(b));
  if (shape) return *shape;
  ctx.fail(
      "{} {} and {} {} do not broadcast; aligned at the last dimension, extents must be equal or 1",
      a, ctx.shape(a).to_string(), b, ctx.shape(b).to_string());
}

Shape shape_attribute(const InferContext& ctx, std::string_view name) {
  return whole_shape(ctx, name, ctx.attr<std::vector<std::int64_t>>(name));
}

Shape whole_shape(const InferContext& ctx, std::string_view name,
                  const std::vector<std::int64_t>& extents) {
  if (extents.size() > Shape::kMaxRank) {
    ctx.fail("{} {} has {} dimensions; a tensor has at most {}", name, to_string(extents),
             extents.size(), Shape::kMaxRank);
  }
  for (const std::int64_t extent : extents) {
    if (extent < 0) {
      ctx.fail("{} {} has the extent {}; every extent must be known and not negative", name,
               to_string(extents), extent);
    }
  }
  return Shape(extents);
}

}  // namespace loci::ops
