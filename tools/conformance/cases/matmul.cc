// matmul and mul.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/product.h"

namespace loci::conformance {
namespace {

struct Matmul {
  Shape x;
  Shape y;
  bool transpose_x = false;
  bool transpose_y = false;
};

// Whole numbers of which a few overflow the narrowest types, for integers.
Generator elements(DType dtype) {
  if (!is_integer(dtype)) return uniform(-1, 1);
  return integers(is_unsigned(dtype) ? 0 : -11, 11);
}

// Both ends of the range, so that products and sums wrap.
Generator product_extremes(DType dtype) {
  const Real top = std::ldexp(Real{1}, 8 * static_cast<int>(dtype_size(dtype)) - 1);
  if (is_unsigned(dtype)) return cycle({2 * top - 1, top, 1, 3, 2 * top - 2, 0, 2});
  return cycle({-top, top - 1, -1, 3, 1 - top, 0, 2});
}

Case matmul_case(DType dtype, const Matmul& op) {
  const bool tx = op.transpose_x;
  const bool ty = op.transpose_y;
  const bool small = op.x.numel() + op.y.numel() < 1000;
  return {.op = "matmul",
          .variant = fmt::format("{}{}", tx ? "transpose_x " : "", ty ? "transpose_y" : ""),
          .inputs = {{dtype, op.x, elements(dtype)}, {dtype, op.y, elements(dtype)}},
          .build = [=](const Variables& in) { return Variables{matmul(in[0], in[1], tx, ty)}; },
          .reference = [=](const Arrays& in) { return std::vector<Expected>{product(in, tx, ty)}; },
          .differentiate = small ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{}};
}

// Whole numbers, so that every order of summation is exact and a lost term shows.
Case exact_case(DType dtype, const Matmul& op) {
  Case result = matmul_case(dtype, op);
  for (Input& input : result.inputs) input.values = integers(-3, 3);
  result.variant += "whole numbers";
  result.differentiate.clear();
  result.reference = [=](const Arrays& in) {
    Expected out = product(in, op.transpose_x, op.transpose_y);
    out.slack.clear();
    return std::vector<Expected>{out};
  };
  return result;
}

Case wrapping_case(DType dtype, const Matmul& op) {
  Case result = matmul_case(dtype, op);
  for (Input& input : result.inputs) input.values = product_extremes(dtype);
  result.variant += "wraps";
  return result;
}

struct Mul {
  Shape x;
  Shape y;
  int x_rows = 1;
  int y_rows = 1;
};

Array flattened(const Array& array, int rows) {
  const Shape& shape = array.shape;
  const std::int64_t height = Shape(shape.data(), rows).numel();
  const std::int64_t width = Shape(shape.data() + rows, shape.rank() - rows).numel();
  return {array.dtype, {height, width}, array.values};
}

std::vector<Expected> mul_reference(const Arrays& in, const Mul& op) {
  Expected out = product({flattened(in[0], op.x_rows), flattened(in[1], op.y_rows)}, false, false);
  Shape shape(op.x.data(), op.x_rows);
  for (int i = op.y_rows; i < op.y.rank(); ++i) shape.push_back(op.y[i]);
  out.shape = shape;
  return {out};
}

Case mul_case(DType dtype, const Mul& op) {
  return {
      .op = "mul",
      .variant = fmt::format("rows {},{}", op.x_rows, op.y_rows),
      .inputs = {{dtype, op.x, elements(dtype)}, {dtype, op.y, elements(dtype)}},
      .build =
          [=](const Variables& in) { return Variables{mul(in[0], in[1], op.x_rows, op.y_rows)}; },
      .reference = [=](const Arrays& in) { return mul_reference(in, op); },
      .differentiate = {0, 1}};
}

}  // namespace

void add_matmul_cases(Suite& suite) {
  const Matmul products[] = {
      {{1}, {1}},
      {{7}, {7}},
      {{5}, {5, 3}},
      {{3, 5}, {5}},
      {{5}, {3, 5}, false, true},
      {{5, 3}, {5}, true, false},
      {{1, 1}, {1, 1}},
      {{2, 3}, {3, 4}},
      {{3, 2}, {3, 4}, true, false},
      {{2, 3}, {4, 3}, false, true},
      {{3, 2}, {4, 3}, true, true},
      {{17, 33}, {33, 9}},
      {{33, 17}, {9, 33}, true, true},
      {{1, 128}, {128, 1}},
      {{128, 1}, {1, 3}},
      {{0, 3}, {3, 4}},
      {{2, 0}, {0, 3}},
      {{2, 3, 4}, {2, 4, 5}},
      {{2, 4, 3}, {2, 5, 4}, true, true},
      {{2, 3, 4}, {4, 5}},
      {{2, 3, 4}, {5, 4}, false, true},
      {{2, 4, 3}, {4, 5}, true, false},
      {{3, 4}, {2, 4, 5}},
      {{4, 3}, {2, 5, 4}, true, true},
      {{2, 1, 3, 4}, {5, 4, 2}},
      {{1, 3, 4}, {2, 4, 5}},
      {{0, 3, 4}, {4, 5}},
      {{4}, {2, 4, 3}},
      {{2, 3, 4}, {4}},
  };
  const Matmul large[] = {
      {{64, 64}, {64, 64}},    {{130, 257}, {257, 63}},       {{257, 65}, {33, 257}, true, true},
      {{3, 65, 40}, {40, 70}}, {{4, 1, 33, 48}, {3, 48, 17}}, {{1, 500}, {500, 70}},
      {{500, 37}, {37}}};
  const Mul flattened_products[] = {{{2, 3}, {3, 4}},
                                    {{2, 3, 4}, {4, 5}, 2, 1},
                                    {{2, 3, 4}, {12, 5}, 1, 1},
                                    {{2, 12}, {3, 4, 5}, 1, 2},
                                    {{2, 3, 2, 2}, {4, 3, 5}, 2, 1},
                                    {{17, 3, 5}, {15, 2, 9}, 1, 1},
                                    {{0, 3}, {3, 4}}};
  for (const DType dtype : kFloatTypes) {
    for (const Matmul& op : products) suite.add(matmul_case(dtype, op));
    for (const Matmul& op : large) suite.add(matmul_case(dtype, op));
    for (const Matmul& op : large) suite.add(exact_case(dtype, op));
    for (const Mul& op : flattened_products) suite.add(mul_case(dtype, op));
  }
  for (const DType dtype : kIntegerTypes) {
    for (const Matmul& op : products) suite.add(matmul_case(dtype, op));
    for (const Matmul& op : large) suite.add(matmul_case(dtype, op));
    for (const Matmul& op : large) suite.add(wrapping_case(dtype, op));
    for (const Mul& op : flattened_products) suite.add(mul_case(dtype, op));
  }
}

}  // namespace loci::conformance
