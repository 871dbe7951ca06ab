#include "tests/fuzz/bounded_program.h"

#include <algorithm>
#include <cstdint>
#include <loci/error.hpp>
#include <loci/tensor.hpp>

#include "framework/program/control_flow.h"
#include "tools/loci/model/element.h"

namespace loci::fuzz {
namespace {

using program::Block;
using program::Operator;
using program::VarDesc;

constexpr int kMostOperators = 48;
constexpr int kMostLoops = 3;
constexpr std::int64_t kMostIterations = 6;
constexpr std::int64_t kMostElements = 4096;
constexpr std::int64_t kUnknownExtent = 2;

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::kUnsupported, std::string("[fuzz] the program has more than ") + what);
}

Shape known_shape(const Shape& shape) {
  Shape known = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == kDynamicDim) known.set(axis, kUnknownExtent);
  }
  return known;
}

// All blocks of a program.
class Limits {
 public:
  void apply(Block& block) {
    for (VarDesc& var : block.vars) apply(var);
    for (Operator& op : block.ops) apply(op);
  }

 private:
  static void apply(VarDesc& var) {
    var.guard.clear();
    const Shape shape = known_shape(var.type.shape);
    const bool is_empty = std::count(shape.begin(), shape.end(), 0) > 0;
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) {
      if (is_empty) break;
      if (extent > kMostElements / elements) refuse("a few thousand elements");
      elements *= extent;
    }
  }

  void apply(Operator& op) {
    op.guard.clear();
    if (++operators_ > kMostOperators) refuse("48 operators");
    const auto limit = op.attributes.find("max_iterations");
    if (limit != op.attributes.end()) {
      if (++loops_ > kMostLoops) refuse("3 loops");
      auto& iterations = std::get<std::int64_t>(limit->second);
      if (iterations <= 0 || iterations > kMostIterations) iterations = kMostIterations;
    }
    program::edit_blocks(op, [&](Block& inner) { apply(inner); });
  }

  int operators_ = 0;
  int loops_ = 0;
};

template <class T>
T number(std::int64_t index) {
  if constexpr (runner::is_float_element<T>) {
    return runner::float_element<T>(static_cast<double>(index % 7) * 0.25 - 0.5);
  } else {
    return static_cast<T>(index % 3);
  }
}

}  // namespace

void make_small(program::ProgramImpl& program) {
  Limits().apply(program.main());
  program.touch();
}

Tensor small_numbers(const VarDesc& variable) {
  return runner::visit_dtype(variable.type.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor tensor = Tensor::empty(known_shape(variable.type.shape), variable.type.dtype);
    auto* elements = static_cast<T*>(tensor.raw_data());
    for (std::int64_t i = 0; i < tensor.numel(); ++i) elements[i] = number<T>(i);
    return tensor;
  });
}

}  // namespace loci::fuzz
