// Creation of tensors. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <loci/dtype.hpp>
#include <loci/op_call.hpp>
#include <loci/place.hpp>
#include <loci/program.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>
#include <type_traits>
#include <vector>

namespace loci {
inline namespace v0 {

// An operator whose result is a tensor of `shape` in which every element is `value`, converted to
// `dtype`. See loci/creation.hpp for tensors themselves.
inline Variable fill_constant(const Shape& shape, double value, DType dtype = kFloat32) {
  return OpCall<Variable>("fill_constant")
      .attr("shape", shape.dims())
      .attr("value", value)
      .attr("dtype", dtype)
      .result();
}

template <class S>
using IfTensorOrVariable =
    std::enable_if_t<std::is_same_v<S, Tensor> || std::is_same_v<S, Variable>, int>;

// The shape given by a list of int32 or int64, the value by one element of any dtype; both are read
// on the host. The second form takes the value as a number.
template <class S, IfTensorOrVariable<S> = 0>
LOCI_OP S fill_constant(const S& shape, const S& value, DType dtype = kFloat32) {
  return OpCall<S>("fill_constant")
      .input("shape_tensor", shape)
      .input("value_tensor", value)
      .attr("dtype", dtype)
      .result();
}
template <class S, IfTensorOrVariable<S> = 0>
LOCI_OP S fill_constant(const S& shape, double value, DType dtype = kFloat32) {
  return OpCall<S>("fill_constant")
      .input("shape_tensor", shape)
      .attr("value", value)
      .attr("dtype", dtype)
      .result();
}

// These elements in row-major order, each converted to `dtype`, which is floating if T is and an
// integer or bool otherwise (uint64 modulo 2^64).
template <class T>
Variable assign_value(const std::vector<T>& elements, const Shape& shape,
                      DType dtype = std::is_floating_point_v<T> ? kFloat32 : kInt64) {
  using Number = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  return OpCall<Variable>("assign_value")
      .attr("shape", shape.dims())
      .attr(std::is_floating_point_v<T> ? "values" : "integers",
            std::vector<Number>(elements.begin(), elements.end()))
      .attr("dtype", dtype)
      .result();
}
template <class T>
Variable assign_value(std::initializer_list<T> elements, const Shape& shape,
                      DType dtype = std::is_floating_point_v<T> ? kFloat32 : kInt64) {
  return assign_value(std::vector<T>(elements), shape, dtype);
}

// A tensor of the dtype and shape of x in which every element is `value`.
template <class V>
LOCI_OP V full_like(const V& x, double value) {
  return OpCall<V>("full_like").input("x", x).attr("value", value).result();
}

// The integers start, start + step, ... before `limit`, which lie behind it for a negative step: a
// tensor [max(0, ceil((limit - start) / step))]. Each is rounded to a floating dtype, and has to
// fit an integer one. See loci/creation.hpp for arange(), which makes a tensor itself.
inline Variable range(std::int64_t start, std::int64_t limit, std::int64_t step = 1,
                      DType dtype = kInt64) {
  return OpCall<Variable>("range")
      .attr("bounds", std::vector<std::int64_t>{start, limit, step})
      .attr("dtype", dtype)
      .result();
}
// The list of int32 or int64 has start, limit and step, and is read on the host.
template <class S, IfTensorOrVariable<S> = 0>
LOCI_OP S range(const S& bounds, DType dtype = kInt64) {
  return OpCall<S>("range").input("bounds_tensor", bounds).attr("dtype", dtype).result();
}

// Uniform in [low, high), by Philox4x32-10 (Salmon et al., 2011) keyed with the seed and counted by
// run, operator and element: bits do not depend on place or thread count.
inline Variable uniform_random(const Shape& shape, double low = 0.0, double high = 1.0,
                               DType dtype = kFloat32) {
  return OpCall<Variable>("uniform_random")
      .attr("shape", shape.dims())
      .attr("low", low)
      .attr("high", high)
      .attr("dtype", dtype)
      .result();
}

// Normally distributed, by the Box-Muller transform of those uniform bits.
inline Variable gaussian_random(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                                DType dtype = kFloat32) {
  return OpCall<Variable>("gaussian_random")
      .attr("shape", shape.dims())
      .attr("mean", mean)
      .attr("deviation", deviation)
      .attr("dtype", dtype)
      .result();
}

}  // namespace v0
}  // namespace loci
