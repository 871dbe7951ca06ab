// The elements of a constant in a layout of a plugin.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>

#include "framework/memory/allocator.h"

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

// Work that reads it holds it. See DerivedForms.
struct PackedForm {
  PackedKey key;
  std::uint64_t version = 0;
  memory::Buffer buffer;
};

}  // namespace loci::tensor
