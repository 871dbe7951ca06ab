// The elements of a constant at another place.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/place.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>

namespace loci::tensor {

// Which elements of a storage, and where.
struct ReplicaKey {
  Place place;  // never the storage's own
  DType dtype = DType::kNone;
  Shape shape;
  std::uint64_t offset = 0;  // bytes

  friend bool operator==(const ReplicaKey& a, const ReplicaKey& b) {
    return a.place == b.place && a.offset == b.offset && a.dtype == b.dtype && a.shape == b.shape;
  }
};

// Work that reads it holds it. See DerivedForms.
struct Replica {
  ReplicaKey key;
  std::uint64_t version = 0;
  Tensor tensor;  // dense, with a storage of its own
};

}  // namespace loci::tensor
