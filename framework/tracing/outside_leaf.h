// A tensor from outside of a function that is compiled, as the tape knows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/executor.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/tensor/tensor_impl.h"

namespace loci::tracing {

// A tensor from outside: what a traced program takes for granted of it, the part of its gradient
// that the program is given, and the part that it leaves. An input is another tensor in each call.
struct OutsideLeaf {
  static constexpr int kNoInput = -1;
  // A part of a gradient: the dense one, or rows and then their values.
  struct Part {
    DType dtype;
    Shape shape;
    Place place;
    std::string variable;
  };
  enum class Left : std::uint8_t { kAsItWas, kNothing, kDense, kRows };

  std::shared_ptr<tensor::TensorImpl> tensor;  // null for an input
  int input = kNoInput;
  bool requires_grad = false;
  bool is_result = false;   // of recorded ops
  std::size_t hooks = 0;    // of a leaf
  bool is_read = false;     // its gradient, as it was before the call
  std::vector<Part> given;  // that gradient, if it is read
  Left left = Left::kAsItWas;
  std::size_t first_left = 0;  // of what all leave
  bool sets_requirement = false;
  bool required_after = false;

  // How many of those are its own.
  [[nodiscard]] std::size_t left_parts() const {
    return left == Left::kRows ? 2 : left == Left::kDense ? 1 : 0;
  }
  // Notes what the tape says of it now.
  void look_at(const tensor::TensorImpl& impl);
  // Returns true if all that the program takes for granted is so.
  [[nodiscard]] bool holds(const std::vector<Tensor>& inputs) const;
  // Adds what of its gradient the program is given.
  void add_to(Feed* feed, const std::vector<Tensor>& inputs) const;
  // Leaves what the call has made of it.
  void leave(const std::vector<Tensor>& inputs, const std::vector<Tensor>& left_values) const;

  [[nodiscard]] const std::shared_ptr<tensor::TensorImpl>& impl(
      const std::vector<Tensor>& inputs) const {
    return input == kNoInput ? tensor : inputs[static_cast<std::size_t>(input)].impl();
  }
};

// The parts of a gradient, whose rows are joined.
[[nodiscard]] std::vector<Tensor> gradient_parts(const tensor::TensorImpl& impl);

}  // namespace loci::tracing
