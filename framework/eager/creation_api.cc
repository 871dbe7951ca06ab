#include <fmt/format.h>

#include <loci/creation.hpp>
#include <loci/program.hpp>
#include <vector>

#include "framework/core/raise.h"
#include "framework/eager/generator.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/user_call.h"
#include "framework/eager/work_recorder.h"
#include "framework/program/guard_text.h"

namespace loci {
inline namespace v0 {
namespace {

Tensor random(const char* op, const Shape& shape, const char* first_name, double first,
              const char* second_name, double second, DType dtype, const void* site) {
  return OpCall<Tensor>(op, site)
      .attr("shape", shape.dims())
      .attr(first_name, first)
      .attr(second_name, second)
      .attr("dtype", dtype)
      .result();
}

// Checks calls that need the random state of the context: no program and no graph has part in it.
void check_recorded(const char* call) {
  const eager::ThreadState& thread = eager::thread_state();
  const char* within = thread.interceptor != nullptr           ? "a trace"
                       : eager::recorder_of(thread) != nullptr ? "a capture"
                                                               : nullptr;
  if (within == nullptr) return;
  core::raise(
      ErrorCode::kInvalidArgument,
      "[random] {} within {}, whose runs go on from where the random numbers of the context "
      "stand then; call it outside of the function, before it is called",
      call, within);
}

// The CPU may make it where the device cannot, as it computes what that has no kernel for.
program::GuardTextScope made_at(const Place& place) {
  return program::GuardTextScope(program::guard_text(place, program::Standing::kMoved));
}

Tensor filled(const Shape& shape, double value, DType dtype, const void* site) {
  return OpCall<Tensor>("fill_constant", site)
      .attr("shape", shape.dims())
      .attr("value", value)
      .attr("dtype", dtype)
      .result();
}

}  // namespace

Tensor full(const Shape& shape, double value, DType dtype) {
  return filled(shape, value, dtype, __builtin_return_address(0));
}

Tensor full(const Shape& shape, double value, DType dtype, const Place& place) {
  const program::GuardTextScope there = made_at(place);
  return filled(shape, value, dtype, __builtin_return_address(0));
}

Tensor arange(std::int64_t begin, std::int64_t end, DType dtype) {
  const eager::UserCall call(__builtin_return_address(0));
  if (end < begin) {
    core::raise(ErrorCode::kInvalidArgument, "[arange] its end {} lies before its begin {}", end,
                begin);
  }
  Tensor made = Tensor::empty({end - begin}, kInt64);
  auto* elements = made.data<std::int64_t>();
  for (std::int64_t i = begin; i < end; ++i) *elements++ = i;
  return dtype == kInt64 ? made : cast(made, dtype);
}

Tensor rand(const Shape& shape, double low, double high, DType dtype) {
  return random("uniform_random", shape, "low", low, "high", high, dtype,
                __builtin_return_address(0));
}

Tensor rand(const Shape& shape, double low, double high, DType dtype, const Place& place) {
  const program::GuardTextScope there = made_at(place);
  return random("uniform_random", shape, "low", low, "high", high, dtype,
                __builtin_return_address(0));
}

Tensor randn(const Shape& shape, double mean, double deviation, DType dtype) {
  return random("gaussian_random", shape, "mean", mean, "deviation", deviation, dtype,
                __builtin_return_address(0));
}

Tensor randn(const Shape& shape, double mean, double deviation, DType dtype, const Place& place) {
  const program::GuardTextScope there = made_at(place);
  return random("gaussian_random", shape, "mean", mean, "deviation", deviation, dtype,
                __builtin_return_address(0));
}

void seed(std::uint64_t seed) {
  check_recorded("seed()");
  eager::Generator::instance().seed(seed);
}

Tensor random_state() {
  check_recorded("random_state()");
  const eager::Generator::Position at = eager::Generator::instance().position();
  return Tensor::from<std::uint64_t>({at.seed, static_cast<std::uint64_t>(at.offset)}, {2});
}

void set_random_state(const Tensor& state) {
  check_recorded("set_random_state()");
  if (!state.defined() || state.dtype() != kUInt64 || state.shape() != Shape{2}) {
    core::raise(ErrorCode::kInvalidArgument,
                "[random] the state is {}; give the uint64 [2] that random_state() gave",
                state.defined()
                    ? fmt::format("{} {}", dtype_name(state.dtype()), state.shape().to_string())
                    : "undefined");
  }
  const std::vector<std::uint64_t> numbers = state.to_vector<std::uint64_t>();
  eager::Generator::instance().move_to({numbers[0], static_cast<std::int64_t>(numbers[1])});
}

}  // namespace v0
}  // namespace loci
