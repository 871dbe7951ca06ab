// transpose.
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

struct Transpose {
  Shape x;
  std::vector<std::int64_t> perm;
};

std::vector<Expected> transposed(const Array& x, const std::vector<std::int64_t>& perm) {
  Shape shape;
  for (const std::int64_t axis : perm) shape.push_back(x.extent(static_cast<int>(axis)));
  return {rearranged(x, shape, [&](const Index& index) {
    Index from(index.size());
    for (std::size_t i = 0; i < perm.size(); ++i) {
      const auto rank = static_cast<std::int64_t>(perm.size());
      from[static_cast<std::size_t>(perm[i] < 0 ? perm[i] + rank : perm[i])] = index[i];
    }
    return from;
  })};
}

Case transpose_case(DType dtype, const Transpose& op) {
  return {.op = "transpose",
          .variant = "perm " + to_string(Attribute(op.perm)),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{transpose(in[0], op.perm)}; },
          .reference = [=](const Arrays& in) { return transposed(in[0], op.perm); },
          .differentiate = {0}};
}

}  // namespace

void add_transpose_cases(Suite& suite) {
  const Transpose transposes[] = {
      {{}, {}},
      {{5}, {0}},
      {{2, 3}, {1, 0}},
      {{1, 7}, {1, 0}},
      {{3, 5, 2}, {0, 1, 2}},
      {{3, 5, 2}, {2, 0, 1}},
      {{3, 5, 2}, {-1, 1, 0}},
      {{2, 3, 4, 5}, {0, 2, 3, 1}},
      {{2, 3, 4, 5}, {0, 3, 1, 2}},
      {{2, 3, 4, 2}, {2, 0, 1, 3}},
      {{4, 3, 5, 3}, {1, 2, 0, 3}},
      {{0, 3}, {1, 0}},
      {{2, 1, 2, 1, 2, 3, 1, 2}, {7, 6, 5, 4, 3, 2, 1, 0}},
      {{33, 65}, {1, 0}},
  };
  for (const DType dtype : kAllTypes) {
    for (const Transpose& op : transposes) suite.add(transpose_case(dtype, op));
  }
  // Several tiles, in several threads, with rests on both sides.
  suite.add(transpose_case(kFloat32, {{301, 515}, {1, 0}}));
  suite.add(transpose_case(kFloat16, {{3, 129, 200}, {0, 2, 1}}));
  suite.add(transpose_case(kFloat64, {{64, 3, 97, 4}, {2, 1, 0, 3}}));
  suite.add(transpose_case(kInt8, {{130, 7, 65}, {2, 1, 0}}));
  suite.add(transpose_case(kInt64, {{3, 40, 50, 3}, {1, 0, 2, 3}}));
}

}  // namespace loci::conformance
