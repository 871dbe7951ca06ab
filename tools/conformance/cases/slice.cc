// slice, set_slice and crop_tensor, with bounds as attributes and as tensors.
#include <algorithm>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

using Integers = std::vector<std::int64_t>;

// `first` and `count` say, for each dimension of x, what comes out.
struct Slice {
  Shape x;
  Integers axes;
  Integers starts;
  Integers ends;
  Integers steps;
  Integers first;
  Integers count;
};

std::vector<Expected> sliced(const Array& x, const Slice& op) {
  Integers stride(op.first.size(), 1);
  for (std::size_t i = 0; i < op.steps.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(op.first.size());
    const std::int64_t axis = op.axes[i] < 0 ? op.axes[i] + rank : op.axes[i];
    stride[static_cast<std::size_t>(axis)] = op.steps[i];
  }
  return {rearranged(x, Shape(op.count), [&](Index index) {
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = op.first[i] + index[i] * stride[i];
    return index;
  })};
}

std::string text(const Integers& values) { return to_string(Attribute(values)); }

Generator these(const Integers& values) {
  return cycle(std::vector<Real>(values.begin(), values.end()));
}

Shape length(const Integers& values) { return {static_cast<std::int64_t>(values.size())}; }

std::string variant_of(const Slice& op) {
  std::string variant =
      "axes " + text(op.axes) + " from " + text(op.starts) + " to " + text(op.ends);
  if (!op.steps.empty()) variant.append(" by ").append(text(op.steps));
  return variant;
}

Case slice_case(DType dtype, const Slice& op) {
  return {.op = "slice",
          .variant = variant_of(op),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build =
              [=](const Variables& in) {
                return Variables{slice(in[0], op.axes, op.starts, op.ends, op.steps)};
              },
          .reference = [=](const Arrays& in) { return sliced(in[0], op); },
          .differentiate = {0}};
}

Case tensor_slice_case(DType dtype, DType index, const Slice& op) {
  return {.op = "slice",
          .variant = variant_of(op) + " in " + std::string(dtype_name(index)),
          .inputs = {{dtype, op.x, small_values(dtype)},
                     {index, length(op.starts), these(op.starts)},
                     {index, length(op.ends), these(op.ends)}},
          .build =
              [=](const Variables& in) {
                return Variables{slice(in[0], op.axes, in[1], in[2], op.steps)};
              },
          .reference = [=](const Arrays& in) { return sliced(in[0], op); },
          .differentiate = {0}};
}

// x with y, repeated to the part, where the slice lies.
std::vector<Expected> with_part(const Array& x, const Array& y, const Slice& op) {
  Expected out = rearranged(x, x.shape, [](Index index) { return index; });
  const Shape part(op.count);
  Integers stride(op.first.size(), 1);
  for (std::size_t i = 0; i < op.steps.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(op.first.size());
    const std::int64_t axis = op.axes[i] < 0 ? op.axes[i] + rank : op.axes[i];
    stride[static_cast<std::size_t>(axis)] = op.steps[i];
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.numel()); ++i) {
    const Index at = index_of(part, i);
    Index from;
    for (int axis = 0; axis < y.shape.rank(); ++axis) {
      const auto behind = at[at.size() - static_cast<std::size_t>(y.shape.rank() - axis)];
      from.push_back(y.shape[axis] == 1 ? 0 : behind);
    }
    Index to = at;
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = op.first[k] + at[k] * stride[k];
    out.values[out.offset(to)] = y.at(from);
  }
  return {out};
}

Case set_slice_case(DType dtype, const Slice& op, const Shape& y) {
  return {.op = "set_slice",
          .variant = variant_of(op),
          .inputs = {{dtype, op.x, small_values(dtype)}, {dtype, y, small_values(dtype)}},
          .build =
              [=](const Variables& in) {
                return Variables{set_slice(in[0], in[1], op.axes, op.starts, op.ends, op.steps)};
              },
          .reference = [=](const Arrays& in) { return with_part(in[0], in[1], op); },
          .differentiate = {0, 1}};
}

Case tensor_set_slice_case(DType dtype, DType index, const Slice& op, const Shape& y) {
  return {.op = "set_slice",
          .variant = variant_of(op) + " in " + std::string(dtype_name(index)),
          .inputs = {{dtype, op.x, small_values(dtype)},
                     {dtype, y, small_values(dtype)},
                     {index, length(op.starts), these(op.starts)},
                     {index, length(op.ends), these(op.ends)}},
          .build =
              [=](const Variables& in) {
                return Variables{set_slice(in[0], in[1], op.axes, in[2], in[3], op.steps)};
              },
          .reference = [=](const Arrays& in) { return with_part(in[0], in[1], op); },
          .differentiate = {0, 1}};
}

void add_set_slices(Suite& suite) {
  constexpr std::int64_t kFar = 1000000;
  struct Replacement {
    Slice part;
    Shape y;
  };
  const Replacement replacements[] = {
      {{{}, {}, {}, {}, {}, {}, {}}, {}},
      {{{7}, {0}, {2}, {5}, {}, {2}, {3}}, {3}},
      {{{7}, {0}, {2}, {5}, {}, {2}, {3}}, {}},
      {{{7}, {0}, {kFar}, {-kFar}, {-1}, {6}, {7}}, {7}},
      {{{7}, {-1}, {5}, {0}, {-2}, {5}, {3}}, {1}},
      {{{7}, {0}, {5}, {2}, {}, {5}, {0}}, {1}},
      {{{0, 3}, {0}, {0}, {4}, {}, {0, 0}, {0, 3}}, {3}},
      {{{4, 6}, {1}, {1}, {3}, {}, {0, 1}, {4, 2}}, {4, 1}},
      {{{4, 6}, {0, 1}, {1, -2}, {-1, kFar}, {}, {1, 4}, {2, 2}}, {2}},
      {{{4, 6}, {1, 0}, {5, 3}, {0, -kFar}, {-2, -1}, {3, 5}, {4, 3}}, {4, 3}},
      {{{3, 4, 5}, {2, 0}, {1, 1}, {4, 2}, {2, 1}, {1, 0, 1}, {1, 4, 2}}, {4, 2}},
  };
  for (const Replacement& one : replacements) {
    for (const DType dtype : kAllTypes) suite.add(set_slice_case(dtype, one.part, one.y));
    suite.add(tensor_set_slice_case(kFloat32, kInt64, one.part, one.y));
  }
  suite.add(tensor_set_slice_case(kFloat64, kInt32, replacements[8].part, replacements[8].y));
  suite.add(set_slice_case(
      kFloat32, {{300, 517}, {1, 0}, {3, 299}, {517, 9}, {2, -1}, {299, 3}, {290, 257}}, {257}));
}

struct Crop {
  Shape x;
  Integers shape;
  Integers offsets;
  Integers result;
};

std::vector<Expected> cropped(const Array& x, const Crop& op) {
  return {rearranged(x, Shape(op.result), [&](Index index) {
    for (std::size_t i = 0; i < op.offsets.size(); ++i) index[i] += op.offsets[i];
    return index;
  })};
}

Case crop_case(DType dtype, const Crop& op) {
  return {
      .op = "crop_tensor",
      .variant = "to " + text(op.shape) + " at " + text(op.offsets),
      .inputs = {{dtype, op.x, small_values(dtype)}},
      .build =
          [=](const Variables& in) { return Variables{crop_tensor(in[0], op.shape, op.offsets)}; },
      .reference = [=](const Arrays& in) { return cropped(in[0], op); },
      .differentiate = {0}};
}

Case tensor_crop_case(DType dtype, DType index, const Crop& op) {
  Case subject{
      .op = "crop_tensor",
      .variant = "to " + text(op.shape) + " at " + text(op.offsets) + " in " +
                 std::string(dtype_name(index)),
      .inputs = {{dtype, op.x, small_values(dtype)}, {index, length(op.shape), these(op.shape)}},
      .build =
          [=](const Variables& in) {
            return Variables{crop_tensor(in[0], in[1], in.size() > 2 ? in[2] : Variable())};
          },
      .reference = [=](const Arrays& in) { return cropped(in[0], op); },
      .differentiate = {0}};
  if (!op.offsets.empty()) {
    subject.inputs.push_back({index, length(op.offsets), these(op.offsets)});
  }
  return subject;
}

void add_slices(Suite& suite) {
  constexpr std::int64_t kFar = 1000000;
  const Slice slices[] = {
      {{}, {}, {}, {}, {}, {}, {}},
      {{7}, {0}, {2}, {5}, {}, {2}, {3}},
      {{7}, {0}, {-3}, {kFar}, {}, {4}, {3}},
      {{7}, {0}, {0}, {7}, {3}, {0}, {3}},
      {{7}, {0}, {kFar}, {-kFar}, {-1}, {6}, {7}},
      {{7}, {-1}, {5}, {0}, {-2}, {5}, {3}},
      {{7}, {0}, {5}, {2}, {}, {5}, {0}},
      {{0, 3}, {0}, {0}, {4}, {}, {0, 0}, {0, 3}},
      {{0, 3}, {0}, {4}, {0}, {-1}, {0, 0}, {0, 3}},
      {{4, 6}, {1}, {1}, {3}, {}, {0, 1}, {4, 2}},
      {{4, 6}, {0, 1}, {1, -2}, {-1, kFar}, {}, {1, 4}, {2, 2}},
      {{4, 6}, {1, 0}, {5, 3}, {0, -kFar}, {-2, -1}, {3, 5}, {4, 3}},
      {{3, 4, 5}, {2, 0}, {1, 1}, {4, 2}, {2, 1}, {1, 0, 1}, {1, 4, 2}},
      {{2, 3, 2, 3, 2, 2, 2, 2},
       {1, 7},
       {1, 1},
       {3, 2},
       {},
       {0, 1, 0, 0, 0, 0, 0, 1},
       {2, 2, 2, 3, 2, 2, 2, 1}},
  };
  for (const DType dtype : kAllTypes) {
    for (const Slice& op : slices) suite.add(slice_case(dtype, op));
    suite.add(tensor_slice_case(dtype, kInt32, slices[9]));
  }
  for (const Slice& op : slices) suite.add(tensor_slice_case(kFloat32, kInt64, op));
  suite.add(slice_case(kFloat32,
                       {{300, 517}, {1, 0}, {3, 299}, {517, 9}, {2, -1}, {299, 3}, {290, 257}}));
  suite.add(
      slice_case(kFloat32, {{300, 517}, {0, 1}, {5, 1}, {kFar, 515}, {}, {5, 1}, {295, 514}}));
}

void add_crops(Suite& suite) {
  const Crop crops[] = {
      {{}, {}, {}, {}},
      {{7}, {3}, {}, {3}},
      {{7}, {-1}, {2}, {5}},
      {{4, 6}, {2, 3}, {1, 2}, {2, 3}},
      {{4, 6}, {0, 6}, {4, 0}, {0, 6}},
      {{4, 6}, {-1, 3}, {0, 2}, {4, 3}},
      {{1, 3, 8, 8}, {1, 3, 5, 5}, {}, {1, 3, 5, 5}},
      {{2, 3, 5, 4}, {1, -1, 2, -1}, {1, 1, 2, 0}, {1, 2, 2, 4}},
  };
  for (const DType dtype : kAllTypes) {
    for (const Crop& op : crops) suite.add(crop_case(dtype, op));
    suite.add(tensor_crop_case(dtype, kInt32, crops[6]));
  }
  for (const Crop& op : crops) suite.add(tensor_crop_case(kFloat32, kInt64, op));
}

}  // namespace

void add_slice_cases(Suite& suite) {
  add_slices(suite);
  add_set_slices(suite);
  add_crops(suite);
}

}  // namespace loci::conformance
