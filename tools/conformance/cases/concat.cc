// concat, stack, split and unstack.
#include <fmt/format.h>

#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

using Integers = std::vector<std::int64_t>;

std::vector<Input> inputs_of(DType dtype, const std::vector<Shape>& shapes) {
  std::vector<Input> inputs;
  for (const Shape& shape : shapes) inputs.push_back({dtype, shape, small_values(dtype)});
  return inputs;
}

std::vector<std::size_t> all_of(const std::vector<Shape>& shapes) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < shapes.size(); ++i) indices.push_back(i);
  return indices;
}

std::size_t position(int axis, int rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<Expected> concat_reference(const Arrays& x, int axis) {
  Shape shape = x[0].shape;
  const std::size_t at = position(axis, shape.rank());
  std::int64_t total = 0;
  for (const Array& part : x) total += part.extent(axis);
  shape.set(static_cast<int>(at), total);
  Expected out = Expected::exact(x[0].dtype, shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Index index = index_of(shape, i);
    std::size_t part = 0;
    while (index[at] >= x[part].extent(axis)) index[at] -= x[part++].extent(axis);
    out.values[i] = x[part].at(index);
  }
  return {out};
}

Case concat_case(DType dtype, const std::vector<Shape>& shapes, int axis) {
  return {.op = "concat",
          .variant = fmt::format("axis {}", axis),
          .inputs = inputs_of(dtype, shapes),
          .build = [=](const Variables& in) { return Variables{concat(in, axis)}; },
          .reference = [=](const Arrays& in) { return concat_reference(in, axis); },
          .differentiate = all_of(shapes)};
}

std::vector<Expected> stack_reference(const Arrays& x, int axis) {
  const std::size_t at = position(axis, x[0].shape.rank() + 1);
  Index extents(x[0].shape.begin(), x[0].shape.end());
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(at),
                 static_cast<std::int64_t>(x.size()));
  Expected out = Expected::exact(x[0].dtype, Shape(extents));
  for (std::size_t i = 0; i < out.size(); ++i) {
    Index index = index_of(out.shape, i);
    const auto part = static_cast<std::size_t>(index[at]);
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(at));
    out.values[i] = x[part].at(index);
  }
  return {out};
}

Case stack_case(DType dtype, const Shape& shape, std::size_t count, int axis) {
  const std::vector<Shape> shapes(count, shape);
  return {.op = "stack",
          .variant = fmt::format("axis {}", axis),
          .inputs = inputs_of(dtype, shapes),
          .build = [=](const Variables& in) { return Variables{stack(in, axis)}; },
          .reference = [=](const Arrays& in) { return stack_reference(in, axis); },
          .differentiate = all_of(shapes)};
}

std::vector<Expected> split_reference(const Array& x, const Integers& parts, int axis) {
  const std::size_t at = position(axis, x.shape.rank());
  std::vector<Expected> result;
  std::int64_t begin = 0;
  for (const std::int64_t part : parts) {
    Shape shape = x.shape;
    shape.set(static_cast<int>(at), part);
    result.push_back(rearranged(x, shape, [&](Index index) {
      index[at] += begin;
      return index;
    }));
    begin += part;
  }
  return result;
}

struct Split {
  Shape x;
  std::int64_t num;
  Integers sections;
  int axis;
  Integers parts;
};

Case split_case(DType dtype, const Split& op) {
  return {.op = "split",
          .variant = op.num > 0
                         ? fmt::format("{} along {}", op.num, op.axis)
                         : fmt::format("{} along {}", to_string(Attribute(op.sections)), op.axis),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build =
              [=](const Variables& in) {
                return op.num > 0 ? split(in[0], op.num, op.axis)
                                  : split(in[0], op.sections, op.axis);
              },
          .reference = [=](const Arrays& in) { return split_reference(in[0], op.parts, op.axis); },
          .differentiate = {0}};
}

// One part alone has a gradient: the others count as zeros.
Case first_part_case(DType dtype) {
  return {.op = "split",
          .variant = "the second part alone",
          .inputs = {{dtype, {2, 5}, small_values(dtype)}},
          .build =
              [](const Variables& in) {
                return Variables{split(in[0], Integers{2, 2, 1}, 1)[1]};
              },
          .reference =
              [](const Arrays& in) {
                return std::vector{split_reference(in[0], {2, 2, 1}, 1)[1]};
              },
          .differentiate = {0}};
}

Case unstack_case(DType dtype, const Shape& x, int axis) {
  return {.op = "unstack",
          .variant = fmt::format("axis {}", axis),
          .inputs = {{dtype, x, small_values(dtype)}},
          .build = [=](const Variables& in) { return unstack(in[0], axis); },
          .reference =
              [=](const Arrays& in) {
                const Array& whole = in[0];
                const std::size_t at = position(axis, whole.shape.rank());
                std::vector<Expected> parts = split_reference(
                    whole, Integers(static_cast<std::size_t>(whole.extent(axis)), 1), axis);
                for (Expected& part : parts) {
                  Index extents(part.shape.begin(), part.shape.end());
                  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(at));
                  part.shape = Shape(extents);
                }
                return parts;
              },
          .differentiate = {0}};
}

}  // namespace

void add_concat_cases(Suite& suite) {
  const Split splits[] = {
      {{6}, 3, {}, 0, {2, 2, 2}},
      {{2, 4, 3}, 2, {}, 1, {2, 2}},
      {{2, 4, 3}, 3, {}, -1, {1, 1, 1}},
      {{5, 2}, 0, {1, 0, 4}, 0, {1, 0, 4}},
      {{3, 7}, 0, {2, -1, 1}, 1, {2, 4, 1}},
      {{3, 0}, 0, {0, -1}, 1, {0, 0}},
  };
  for (const DType dtype : kAllTypes) {
    suite.add(concat_case(dtype, {{5}}, 0));
    suite.add(concat_case(dtype, {{2}, {0}, {3}}, 0));
    suite.add(concat_case(dtype, {{2, 3}, {4, 3}}, 0));
    suite.add(concat_case(dtype, {{2, 3}, {2, 1}, {2, 2}}, -1));
    suite.add(concat_case(dtype, {{2, 3, 4}, {2, 5, 4}}, 1));
    suite.add(concat_case(dtype, {{0, 3}, {0, 2}}, 1));
    suite.add(stack_case(dtype, {}, 3, 0));
    suite.add(stack_case(dtype, {2, 3}, 2, 0));
    suite.add(stack_case(dtype, {2, 3}, 3, 1));
    suite.add(stack_case(dtype, {2, 3}, 1, -1));
    suite.add(stack_case(dtype, {2, 0}, 2, 2));
    for (const Split& op : splits) suite.add(split_case(dtype, op));
    suite.add(first_part_case(dtype));
    suite.add(unstack_case(dtype, {3}, 0));
    suite.add(unstack_case(dtype, {2, 3, 2}, 1));
    suite.add(unstack_case(dtype, {2, 3}, -1));
  }
  suite.add(concat_case(kFloat32, {{300, 33}, {300, 200}, {300, 1}}, 1));
  suite.add(concat_case(kFloat32, std::vector<Shape>(40, Shape{3, 2}), 0));
  suite.add(split_case(kFloat32, {{257, 300}, 0, {100, -1}, 1, {100, 200}}));
}

}  // namespace loci::conformance
