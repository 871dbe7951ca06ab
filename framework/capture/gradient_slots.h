// A graph finds gradients that tensors keep, and leaves others there: this tells both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/eager/node.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::capture {

// A tensor keeps a gradient by a handle, which is set on the host while the step is captured. So a
// replay sets it too, and is refused where the tensor has another one than the step was captured
// for: with none, backward() gives a tensor its first gradient, and with one it adds to that.
class GradientSlots {
 public:
  // The tensor's gradient is read, or else replaced, by what is captured. One after the other.
  void note(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read);
  // True while the tensor still has the gradient of before the capture.
  [[nodiscard]] bool has_earlier(const tensor::TensorImpl& tensor) const;
  // The capture has ended.
  void close();
  // Before a replay of that graph, which has had so many: throws Error(kInvalidArgument) where a
  // tensor does not have what it had.
  void check(std::uint64_t graph, std::uint64_t replays) const;
  // A replay has been issued, which leaves gradients as the step did.
  void leave();
  // There will be no replay.
  void undo() noexcept;

 private:
  struct Slot {
    std::weak_ptr<tensor::TensorImpl> tensor;
    bool is_read = false;  // before it is replaced, if it is
    bool requires_grad = false;
    std::size_t hooks = 0;
    bool had_gradient = false;
    std::weak_ptr<tensor::TensorImpl> had;  // the dense one
    // That, if it consists of rows, and once it is replaced, until the first replay.
    eager::Gradient before = {};
    bool is_replaced = false;
    eager::Gradient after = {};  // then: what the step leaves
  };

  [[nodiscard]] const Slot* find(const tensor::TensorImpl& tensor) const;
  // True if the gradient is the one that the step found.
  [[nodiscard]] static bool was_found(const Slot& slot, const eager::Gradient& now);

  std::vector<Slot> slots_;
  bool is_closed_ = false;
  bool is_replayed_ = false;
};

}  // namespace loci::capture
