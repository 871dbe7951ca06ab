// gather_nd, scatter_nd and the gradient of what is written.
#include <fmt/format.h>

#include <algorithm>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"
#include "tools/conformance/scatter.h"

namespace loci::conformance {
namespace {

struct Slices {
  Shape x;
  Shape index;
  int batch_dims;
};

int tuple_length(const Slices& op) { return static_cast<int>(op.index[op.index.rank() - 1]); }

Shape slices_shape(const Slices& op) {
  Index extents(op.index.begin(), op.index.end() - 1);
  extents.insert(extents.end(), op.x.begin() + op.batch_dims + tuple_length(op), op.x.end());
  return Shape(extents);
}

// The index in x of an element of the slices, by its own index.
Index named_slice_element(const Slices& op, const Array& positions, const Index& at) {
  const auto batch = at.begin() + op.batch_dims;
  const auto slice = at.begin() + (op.index.rank() - 1);
  Index from(at.begin(), batch);
  Index tuple(at.begin(), slice);
  tuple.push_back(0);
  for (int i = 0; i < tuple_length(op); ++i) {
    tuple.back() = i;
    from.push_back(position_at(positions, positions.offset(tuple), op.x[op.batch_dims + i]));
  }
  from.insert(from.end(), slice, at.end());
  return from;
}

Destination slice_destination(const Slices& op, const Array& positions) {
  return
      [&op, &positions, frame = Array(kBool, op.x), slices = slices_shape(op)](std::size_t offset) {
        return frame.offset(named_slice_element(op, positions, index_of(slices, offset)));
      };
}

// Positions that each of the named dimensions has.
Generator tuple_positions(const Slices& op) {
  std::int64_t least = op.x[op.batch_dims];
  for (int i = 1; i < tuple_length(op); ++i) least = std::min(least, op.x[op.batch_dims + i]);
  return positions(least);
}

std::string variant_of(const Slices& op, DType index) {
  return fmt::format("batch {} by {}", op.batch_dims, dtype_name(index));
}

Case gather_nd_case(DType dtype, DType index, const Slices& op) {
  return {
      .op = "gather_nd",
      .variant = variant_of(op, index),
      .inputs = {{dtype, op.x, small_values(dtype)}, {index, op.index, tuple_positions(op)}},
      .build =
          [=](const Variables& in) { return Variables{gather_nd(in[0], in[1], op.batch_dims)}; },
      .reference =
          [=](const Arrays& in) {
            return std::vector{rearranged(in[0], slices_shape(op), [&](const Index& at) {
              return named_slice_element(op, in[1], at);
            })};
          },
      .differentiate = {0}};
}

Case scatter_nd_case(DType dtype, DType index, const Slices& op, const std::string& reduction) {
  return {
      .op = "scatter_nd",
      .variant = reduction + " " + variant_of(op, index),
      .inputs = {{dtype, op.x, scatter_values(dtype, reduction)},
                 {index, op.index, tuple_positions(op)},
                 {dtype, slices_shape(op), scatter_values(dtype, reduction)}},
      .build =
          [=](const Variables& in) {
            return Variables{scatter_nd(in[0], in[1], in[2], reduction, op.batch_dims)};
          },
      .reference =
          [=](const Arrays& in) {
            return std::vector{scattered(in[0], in[2], reduction, slice_destination(op, in[1]))};
          },
      .differentiate = differentiable(reduction)};
}

Case scatter_nd_grad_case(DType dtype, const Slices& op) {
  return {.op = "scatter_nd_grad",
          .variant = variant_of(op, kInt64),
          .inputs = {{dtype, op.x, uniform(-2, 2)}, {kInt64, op.index, tuple_positions(op)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("scatter_nd_grad")
                    .input("out_grad", in[0])
                    .input("index", in[1])
                    .attr("batch_dims", static_cast<std::int64_t>(op.batch_dims))
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                return std::vector{
                    gradient_of_last(in[0], slices_shape(op), slice_destination(op, in[1]))};
              },
          .differentiate = {0}};
}

void add_scatter_nd(Suite& suite, const Slices& op) {
  for (const std::string_view name : kReductions) {
    const std::string reduction(name);
    for (const DType dtype : kAllTypes) {
      if (dtype == kBool && reduction != "none") continue;
      suite.add(scatter_nd_case(dtype, kInt32, op, reduction));
    }
  }
  for (const DType dtype : kFloatTypes) suite.add(scatter_nd_grad_case(dtype, op));
}

}  // namespace

void add_gather_nd_cases(Suite& suite) {
  const Slices places[] = {
      {{5}, {1}, 0},
      {{5}, {7, 1}, 0},
      {{5, 3}, {4, 1}, 0},
      {{5, 3}, {9, 2}, 0},
      {{5, 3}, {2}, 0},
      {{4, 3, 2}, {2, 3, 2}, 0},
      {{3, 4, 5}, {3, 6, 1}, 1},
      {{3, 4, 5}, {3, 6, 2}, 1},
      {{2, 3, 4, 5}, {2, 3, 7, 1}, 2},
      {{2, 3, 2, 3, 2, 2, 1, 2}, {6, 3}, 0},
      {{5, 0}, {3, 1}, 0},
      {{5, 3}, {0, 1}, 0},
      {{0, 4}, {0, 3, 1}, 1},
  };
  for (const Slices& op : places) {
    for (const DType dtype : kAllTypes) suite.add(gather_nd_case(dtype, kInt32, op));
    add_scatter_nd(suite, op);
  }
  // More tuples than a block of a device sorts, and rows of whole vectors.
  const Slices large[] = {{{20, 30}, {1500, 2}, 0}, {{40, 32}, {90, 1}, 0}};
  for (const Slices& op : large) {
    suite.add(gather_nd_case(kFloat32, kInt64, op));
    for (const std::string_view reduction : kReductions) {
      suite.add(scatter_nd_case(kFloat32, kInt64, op, std::string(reduction)));
      suite.add(scatter_nd_case(kFloat16, kInt64, op, std::string(reduction)));
    }
  }
}

}  // namespace loci::conformance
