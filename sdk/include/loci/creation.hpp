// New tensors.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <loci/op_call.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/place.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>

namespace loci {
inline namespace v0 {

// Enqueued at `place`, as ops are; without one at the innermost DeviceGuard's place, else on the
// host.

// Every element is `value`, converted to `dtype`.
LOCI_PUBLIC Tensor full(const Shape& shape, double value, DType dtype = kFloat32);
LOCI_PUBLIC Tensor full(const Shape& shape, double value, DType dtype, const Place& place);
LOCI_OP_ALIAS Tensor fill_constant(const Shape& shape, double value, const Place& place,
                                   DType dtype = kFloat32) {
  return full(shape, value, dtype, place);
}
LOCI_OP_ALIAS Tensor zeros(const Shape& shape, DType dtype = kFloat32) {
  return full(shape, 0.0, dtype);
}
LOCI_OP_ALIAS Tensor zeros(const Shape& shape, DType dtype, const Place& place) {
  return full(shape, 0.0, dtype, place);
}
LOCI_OP_ALIAS Tensor ones(const Shape& shape, DType dtype = kFloat32) {
  return full(shape, 1.0, dtype);
}
LOCI_OP_ALIAS Tensor ones(const Shape& shape, DType dtype, const Place& place) {
  return full(shape, 1.0, dtype, place);
}

// The integers from `begin` to before `end`; on the host. Throws Error(kInvalidArgument) if `end`
// is less.
LOCI_PUBLIC Tensor arange(std::int64_t begin, std::int64_t end, DType dtype = kInt64);

// Random numbers. The k-th random op since seed() draws what the k-th random operator of a program
// with that seed draws in its first run, at whatever place. Control flow counts as one of them
// (control_flow.hpp).
// Uniform in [low, high).
LOCI_PUBLIC Tensor rand(const Shape& shape, double low = 0.0, double high = 1.0,
                        DType dtype = kFloat32);
LOCI_PUBLIC Tensor rand(const Shape& shape, double low, double high, DType dtype,
                        const Place& place);
// Normally distributed.
LOCI_PUBLIC Tensor randn(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                         DType dtype = kFloat32);
LOCI_PUBLIC Tensor randn(const Shape& shape, double mean, double deviation, DType dtype,
                         const Place& place);
// Starts the random numbers of tensors again; LOCI_SEED, or 0, at first. Thread-safe.
LOCI_PUBLIC void seed(std::uint64_t seed);
// Where they stand, to be saved: uint64 [2], the seed and how many random ops there were since.
// Thread-safe.
LOCI_PUBLIC Tensor random_state();
// Goes on from there: what was drawn then is drawn again. Throws Error(kInvalidArgument) for a
// tensor of another dtype or shape. Thread-safe.
LOCI_PUBLIC void set_random_state(const Tensor& state);

// A copy with a storage of its own, at the same place.
LOCI_OP_ALIAS Tensor clone(const Tensor& x) { return assign(x); }

}  // namespace v0
}  // namespace loci
