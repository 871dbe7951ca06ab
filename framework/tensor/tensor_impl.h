// What a Tensor handle refers to.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <memory>

#include "framework/memory/allocator.h"

namespace loci::tensor {

// Memory that tensors share. Either owns a buffer or refers to memory kept alive by `owner`.
struct Storage {
  memory::Buffer buffer;
  void* data = nullptr;
  std::uint64_t bytes = 0;
  Place place;
  std::shared_ptr<void> owner;
};

// Dense, immutable but for the bytes behind data.
class TensorImpl {
 public:
  TensorImpl(DType dtype, const Shape& shape, std::shared_ptr<Storage> storage,
             std::uint64_t offset = 0)
      : dtype_(dtype), shape_(shape), storage_(std::move(storage)), offset_(offset) {}

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Place& place() const { return storage_->place; }
  [[nodiscard]] void* data() const { return static_cast<char*>(storage_->data) + offset_; }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(shape_.numel()) * dtype_size(dtype_);
  }
  [[nodiscard]] const std::shared_ptr<Storage>& storage() const { return storage_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  DType dtype_;
  Shape shape_;
  std::shared_ptr<Storage> storage_;
  std::uint64_t offset_;
};

// Memory for one tensor, not initialised. "gpu" and a bare type are resolved. `name` is for the
// ledger, which keeps the pointer: a literal, or text that outlives the tensor. Throws
// Error(kOutOfMemory), kUnavailable for a place that is not there, kInvalidArgument for a shape
// that is not static.
Tensor make_tensor(DType dtype, const Shape& shape, const Place& place, const char* name,
                   loci_stream* stream = nullptr);

}  // namespace loci::tensor
