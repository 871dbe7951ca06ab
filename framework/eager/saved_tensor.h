// A tensor that a gradient will read.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <memory>
#include <string_view>

namespace loci::eager {

// Remembers which version of the storage was meant. Holds no history, so that a node may save its
// own outputs.
class SavedTensor {
 public:
  SavedTensor() = default;
  // The elements of `tensor`; with `is_output` without a reference to the node behind it.
  SavedTensor(const Tensor& tensor, bool is_output);
  // dtype, shape and place alone.
  static SavedTensor form_of(const Tensor& tensor);
  // Saves a tensor that the call itself changes.
  static SavedTensor overwritten(const Tensor& tensor);

  // Throws Error(kInvalidArgument) if the storage has been changed in place since. `op` is for the
  // message.
  [[nodiscard]] const Tensor& get(std::string_view op) const;

 private:
  Tensor tensor_;
  std::uint64_t version_ = 0;
  bool is_form_ = false;
  std::shared_ptr<void> reader_;  // of an input of a captured op: counts it among graphs' readers
  bool is_captured_ = false;      // made by a graph: the latest replay's elements are meant
};

}  // namespace loci::eager
