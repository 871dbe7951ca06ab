// reshape, flatten, reshape_like, squeeze, unsqueeze: the elements stay as they are.
#include <fmt/format.h>

#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

std::vector<Expected> moved(const Array& x, const Shape& shape) {
  Expected out = Expected::exact(x.dtype, shape);
  out.values = x.values;
  return {out};
}

struct Reshape {
  Shape x;
  std::vector<std::int64_t> target;
  Shape result;
};

Case reshape_case(DType dtype, const Reshape& op) {
  return {.op = "reshape",
          .variant = "to " + to_string(Attribute(op.target)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
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
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{flatten(in[0], op.axis)}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
          .differentiate = {0}};
}

Case reshape_like_case(DType dtype, const Shape& x, const Shape& like) {
  return {.op = "reshape_like",
          .inputs = {{dtype, x, small_values(dtype)}, {kFloat32, like, uniform(-2, 2)}},
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

Case tensor_reshape_case(DType dtype, DType index, const Reshape& op) {
  return {.op = "reshape",
          .variant = fmt::format("to {} in {}", to_string(Attribute(op.target)), dtype_name(index)),
          .inputs = {{dtype, op.x, small_values(dtype)},
                     {index,
                      {static_cast<std::int64_t>(op.target.size())},
                      cycle(std::vector<Real>(op.target.begin(), op.target.end()))}},
          .build = [=](const Variables& in) { return Variables{reshape(in[0], in[1])}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
          .differentiate = {0}};
}

Case squeeze_case(DType dtype, const Reshape& op) {
  return {.op = "squeeze",
          .variant = "axes " + to_string(Attribute(op.target)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{squeeze(in[0], op.target)}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
          .differentiate = {0}};
}

Case unsqueeze_case(DType dtype, const Reshape& op) {
  return {.op = "unsqueeze",
          .variant = "axes " + to_string(Attribute(op.target)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{unsqueeze(in[0], op.target)}; },
          .reference = [=](const Arrays& in) { return moved(in[0], op.result); },
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
  const Reshape squeezes[] = {
      {{}, {}, {}},         {{1, 3, 1}, {}, {3}},     {{1, 3, 1}, {-1}, {1, 3}},
      {{1, 1}, {0, 1}, {}}, {{2, 1, 0}, {1}, {2, 0}}, {{2, 1, 3}, {1}, {2, 3}},
  };
  const Reshape unsqueezes[] = {
      {{}, {0}, {1}},
      {{3}, {0, 2}, {1, 3, 1}},
      {{2, 3}, {-1}, {2, 3, 1}},
      {{2, 0}, {1, -2}, {2, 1, 1, 0}},
  };
  for (const Reshape& op : reshapes) suite.add(tensor_reshape_case(kFloat32, kInt64, op));
  for (const DType dtype : kAllTypes) {
    for (const Reshape& op : reshapes) suite.add(reshape_case(dtype, op));
    for (const Flatten& op : flattens) suite.add(flatten_case(dtype, op));
    for (const Reshape& op : squeezes) suite.add(squeeze_case(dtype, op));
    for (const Reshape& op : unsqueezes) suite.add(unsqueeze_case(dtype, op));
    suite.add(tensor_reshape_case(dtype, kInt32, reshapes[3]));
    suite.add(reshape_like_case(dtype, {2, 6}, {3, 4}));
    suite.add(reshape_like_case(dtype, {1}, {}));
    suite.add(reshape_like_case(dtype, {0, 3}, {5, 0}));
  }
}

}  // namespace loci::conformance
