// The elements of a constant in layouts of plugins.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <memory>
#include <vector>

#include "framework/memory/allocator.h"
#include "framework/memory/spin_lock.h"

namespace loci::tensor {

// Which elements of a storage, and how.
struct PackedKey {
  std::uint32_t layout = 0;  // interned, see plugin/layout_table.h
  DType dtype = DType::kNone;
  Shape shape;
  std::uint64_t offset = 0;  // bytes, of the plain elements

  friend bool operator==(const PackedKey& a, const PackedKey& b) {
    return a.layout == b.layout && a.offset == b.offset && a.dtype == b.dtype && a.shape == b.shape;
  }
};

// Immutable. Work that reads it holds it.
struct PackedForm {
  PackedKey key;
  std::uint64_t version = 0;  // of the storage, when they were packed
  memory::Buffer buffer;
};

// Those of one storage, at most one for a key, for as long as the storage lives. Thread-safe.
class PackedForms {
 public:
  // Null where there is none of that version.
  [[nodiscard]] std::shared_ptr<const PackedForm> find(const PackedKey& key,
                                                       std::uint64_t version) const;
  // Takes the place of one with the same key.
  void put(std::shared_ptr<const PackedForm> form);

 private:
  mutable memory::SpinLock lock_;
  std::vector<std::shared_ptr<const PackedForm>> forms_;
};

}  // namespace loci::tensor
