// The tape's notes of changes in place that a capture makes, which can be undone.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "framework/eager/node.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::capture {

// The tape records a change with the call, and the tensor is changed with the first replay. Where
// that never comes, the tensor is what it was, and so has to be what the tape says of it.
class HistoryChanges {
 public:
  // A change of the tensor is captured, and not recorded yet. One after the other.
  void note(const std::shared_ptr<tensor::TensorImpl>& tensor);
  // The changes will never be made. Nobody else's are recorded by then: the tape refuses changes of
  // what a graph keeps.
  void undo() noexcept;
  // The changes are made.
  void keep() noexcept { changed_.clear(); }

 private:
  struct Before {
    std::weak_ptr<tensor::TensorImpl> tensor;
    bool requires_grad = false;
    std::shared_ptr<eager::Node> node;
    std::uint32_t output = 0;
  };

  std::unordered_map<const tensor::TensorImpl*, Before> changed_;
};

}  // namespace loci::capture
