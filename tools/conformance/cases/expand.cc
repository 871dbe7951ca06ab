// expand, expand_like and tile.
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

using Integers = std::vector<std::int64_t>;

// Each index of the result is, modulo the extent, one of x, aligned at the last dimension.
std::vector<Expected> repeated(const Array& x, const Shape& shape) {
  return {rearranged(x, shape, [&](const Index& index) {
    Index from(index.end() - x.shape.rank(), index.end());
    for (int i = 0; i < x.shape.rank(); ++i) from[static_cast<std::size_t>(i)] %= x.shape[i];
    return from;
  })};
}

struct Repetition {
  Shape x;
  Integers given;  // the shape or the repeats
  Shape result;
};

Case expand_case(DType dtype, const Repetition& op) {
  return {.op = "expand",
          .variant = "to " + to_string(Attribute(op.given)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{expand(in[0], op.given)}; },
          .reference = [=](const Arrays& in) { return repeated(in[0], op.result); },
          .differentiate = {0}};
}

Case tensor_expand_case(DType dtype, const Repetition& op) {
  return {.op = "expand",
          .variant = "to " + to_string(Attribute(op.given)) + " in a tensor",
          .inputs = {{dtype, op.x, small_values(dtype)},
                     {kInt64,
                      {static_cast<std::int64_t>(op.given.size())},
                      cycle(std::vector<Real>(op.given.begin(), op.given.end()))}},
          .build = [=](const Variables& in) { return Variables{expand(in[0], in[1])}; },
          .reference = [=](const Arrays& in) { return repeated(in[0], op.result); },
          .differentiate = {0}};
}

Case expand_like_case(DType dtype, const Shape& x, const Shape& like) {
  return {
      .op = "expand_like",
      .inputs = {{dtype, x, small_values(dtype)}, {kFloat32, like, uniform(-2, 2)}},
      .build =
          [](const Variables& in) {
            return OpCall<Variable>("expand_like").input("x", in[0]).input("like", in[1]).results();
          },
      .reference = [=](const Arrays& in) { return repeated(in[0], like); },
      .differentiate = {0}};
}

Case tile_case(DType dtype, const Repetition& op) {
  return {.op = "tile",
          .variant = "by " + to_string(Attribute(op.given)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{tile(in[0], op.given)}; },
          .reference = [=](const Arrays& in) { return repeated(in[0], op.result); },
          .differentiate = {0}};
}

}  // namespace

void add_expand_cases(Suite& suite) {
  const Repetition expansions[] = {
      {{}, {}, {}},
      {{}, {2, 3}, {2, 3}},
      {{1}, {5}, {5}},
      {{3}, {2, 3}, {2, 3}},
      {{2, 1, 3}, {2, 4, -1}, {2, 4, 3}},
      {{2, 1, 3, 1}, {5, -1, 4, 3, 2}, {5, 2, 4, 3, 2}},
      {{1, 3}, {0, 3}, {0, 3}},
      {{0, 1}, {0, 4}, {0, 4}},
  };
  const Repetition tiles[] = {
      {{}, {}, {}},
      {{}, {3}, {3}},
      {{3}, {2}, {6}},
      {{2, 3}, {1, 1}, {2, 3}},
      {{2, 3}, {2, 3}, {4, 9}},
      {{2, 3}, {2}, {2, 6}},
      {{3}, {2, 2}, {2, 6}},
      {{2, 3}, {0, 2}, {0, 6}},
      {{0, 3}, {2, 2}, {0, 6}},
      {{2, 1, 3, 2, 1, 1, 2, 2}, {1, 2, 1, 2, 1, 3, 1, 2}, {2, 2, 3, 4, 1, 3, 2, 4}},
  };
  for (const DType dtype : kAllTypes) {
    for (const Repetition& op : expansions) suite.add(expand_case(dtype, op));
    for (const Repetition& op : tiles) suite.add(tile_case(dtype, op));
    suite.add(expand_like_case(dtype, {3, 1}, {2, 3, 4}));
    suite.add(expand_like_case(dtype, {}, {0, 2}));
    suite.add(tensor_expand_case(dtype, expansions[4]));
  }
  suite.add(expand_case(kFloat32, {{200, 1}, {200, 333}, {200, 333}}));
  suite.add(expand_case(kFloat32, {{333}, {200, 333}, {200, 333}}));
  suite.add(tile_case(kFloat16, {{65, 33}, {5, 9}, {325, 297}}));
}

}  // namespace loci::conformance
