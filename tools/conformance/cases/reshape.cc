// reshape, flatten, reshape_like: the elements stay as they are.
#include <fmt/format.h>

#include <loci/ops.hpp>

#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

std::vector<Expected> moved(const Array& x, const Shape& shape) {
  Expected out = Expected::exact(x.dtype, shape);
  out.values = x.values;
  return {out};
}

Generator values_of(DType dtype) { return is_floating(dtype) ? uniform(-2, 2) : integers(0, 100); }

struct Reshape {
  Shape x;
  std::vector<std::int64_t> target;
  Shape result;
};

Case reshape_case(DType dtype, const Reshape& op) {
  return {.op = "reshape",
          .variant = "to " + to_string(Attribute(op.target)),
          .inputs = {{dtype, op.x, values_of(dtype)}},
          .build = [=](const Variables& in) { return Variables{reshape(in[0], op.target)}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
          .differentiate = {0}};
}

struct Flatten {
  Shape x;
  int axis;
  Shape result;
};

Case flatten_case(DType dtype, const Flatten& op) {
  return {.op = "flatten",
          .variant = fmt::format("axis {}", op.axis),
          .inputs = {{dtype, op.x, values_of(dtype)}},
          .build = [=](const Variables& in) { return Variables{flatten(in[0], op.axis)}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
          .differentiate = {0}};
}

Case reshape_like_case(DType dtype, const Shape& x, const Shape& like) {
  return {.op = "reshape_like",
          .inputs = {{dtype, x, values_of(dtype)}, {kFloat32, like, uniform(-2, 2)}},
          .build =
              [](const Variables& in) {
                return OpCall<Variable>("reshape_like")
                    .input("x", in[0])
                    .input("like", in[1])
                    .results();
              },
          .reference = [=](const Arrays& in) { return moved(in[0], like); },
          .differentiate = {0}};
}

}  // namespace

void add_reshape_cases(Suite& suite) {
  const Reshape reshapes[] = {
      {{}, {1}, {1}},
      {{1}, {}, {}},
      {{2, 3}, {6}, {6}},
      {{2, 3, 4}, {0, -1}, {2, 12}},
      {{2, 3, 4}, {-1, 0}, {8, 3}},
      {{6}, {1, 2, 1, 3, 1, 1, 1, 1}, {1, 2, 1, 3, 1, 1, 1, 1}},
      {{0, 3}, {0, 3, 1}, {0, 3, 1}},
      {{33, 65}, {65, -1}, {65, 33}},
  };
  const Flatten flattens[] = {
      {{}, 0, {1, 1}},         {{5}, 0, {1, 5}},        {{5}, 1, {5, 1}},
      {{2, 3, 4}, 1, {2, 12}}, {{2, 3, 4}, 2, {6, 4}},  {{2, 3, 4}, -1, {6, 4}},
      {{2, 3, 4}, 3, {24, 1}}, {{0, 3, 4}, 1, {0, 12}},
  };
  for (const DType dtype : kAllTypes) {
    for (const Reshape& op : reshapes) suite.add(reshape_case(dtype, op));
    for (const Flatten& op : flattens) suite.add(flatten_case(dtype, op));
    suite.add(reshape_like_case(dtype, {2, 6}, {3, 4}));
    suite.add(reshape_like_case(dtype, {1}, {}));
    suite.add(reshape_like_case(dtype, {0, 3}, {5, 0}));
  }
}

}  // namespace loci::conformance
