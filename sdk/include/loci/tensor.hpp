// Tensors: data with a dtype, a shape and a place.
#pragma once

#include <cstring>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <loci/shape.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace tensor {
class TensorImpl;
}

inline namespace v0 {

// A handle: copies share the data. Elements lie densely, the last dimension fastest. Handles may be
// used from several threads as a std::shared_ptr may; access to the data is the user's to order.
class LOCI_PUBLIC Tensor {
 public:
  // Undefined: has no data, and every function but defined() throws Error(kInvalidArgument).
  Tensor() = default;
  explicit Tensor(std::shared_ptr<tensor::TensorImpl> impl);

  // Elements are not initialised. Throws Error(kOutOfMemory).
  static Tensor empty(const Shape& shape, DType dtype, const Place& place = Place());
  // Copies numel() elements from host memory into a tensor on the host.
  static Tensor from_bytes(const void* elements, const Shape& shape, DType dtype);
  template <class T>
  static Tensor from(const std::vector<T>& elements, const Shape& shape);
  template <class T>
  static Tensor scalar(T value);

  [[nodiscard]] bool defined() const noexcept { return impl_ != nullptr; }
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] const Place& place() const;
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::size_t bytes() const;

  // The first element's address in the memory of place(); only a host tensor's may be dereferenced.
  [[nodiscard]] void* raw_data() const;
  // The elements of a host tensor. Throws Error(kInvalidArgument) for another dtype or place.
  template <class T>
  [[nodiscard]] T* data() const;
  // The only element, from any place.
  template <class T>
  [[nodiscard]] T item() const;
  // All elements, from any place.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const;

  // This tensor itself if it is there already, else a copy. An explicit transfer.
  [[nodiscard]] Tensor to(const Place& place) const;
  // Copies the elements of `source`, which must have this dtype and shape, into this storage.
  void copy_(const Tensor& source) const;
  // The same elements under another shape of the same size; shares the storage.
  [[nodiscard]] Tensor reshaped(const Shape& shape) const;

  // dtype, shape, place and elements, for people. Of more than a thousand elements it has those at
  // both ends of each dimension.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] const std::shared_ptr<tensor::TensorImpl>& impl() const noexcept { return impl_; }

 private:
  [[nodiscard]] void* host_data(DType expected) const;

  std::shared_ptr<tensor::TensorImpl> impl_;
};

// Throws Error(kInvalidArgument) unless `count` elements fill `shape`.
LOCI_PUBLIC void check_element_count(std::size_t count, const Shape& shape);
// Throws Error(kInvalidArgument) unless the tensor has one element.
LOCI_PUBLIC void check_single_element(const Tensor& tensor);

template <class T>
Tensor Tensor::from(const std::vector<T>& elements, const Shape& shape) {
  static_assert(dtype_of<T> != DType::kNone, "no dtype has this element type");
  check_element_count(elements.size(), shape);
  return from_bytes(elements.data(), shape, dtype_of<T>);
}

// std::vector<bool> has no elements to point to.
template <>
inline Tensor Tensor::from<bool>(const std::vector<bool>& elements, const Shape& shape) {
  check_element_count(elements.size(), shape);
  const std::vector<unsigned char> bytes(elements.begin(), elements.end());
  return from_bytes(bytes.data(), shape, DType::kBool);
}

template <class T>
Tensor Tensor::scalar(T value) {
  static_assert(dtype_of<T> != DType::kNone, "no dtype has this element type");
  return from_bytes(&value, Shape{}, dtype_of<T>);
}

template <class T>
T* Tensor::data() const {
  static_assert(dtype_of<T> != DType::kNone, "no dtype has this element type");
  return static_cast<T*>(host_data(dtype_of<T>));
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  const Tensor host = to(Place());
  const T* first = host.template data<T>();
  return std::vector<T>(first, first + host.numel());
}

template <class T>
T Tensor::item() const {
  check_single_element(*this);
  const Tensor host = to(Place());
  return *host.template data<T>();
}

}  // namespace v0
}  // namespace loci
