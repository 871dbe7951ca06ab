// Tensors: data with a dtype, a shape and a place.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
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

// The rows of a gradient that are not surely zero; see Tensor::grad_rows().
struct SparseRows;

// A handle: copies share the data. Elements lie densely, the last dimension fastest. Handles may be
// used from several threads as a std::shared_ptr may; access to the data is the user's to order.
//
// Ops on tensors (loci/ops.hpp, loci/operators.hpp) return before their work is done. Reading
// elements on the host waits for the work that writes them, and throws what that work failed with.
class LOCI_PUBLIC Tensor {
 public:
  // Undefined: has no data, and every function but defined() throws Error(kInvalidArgument).
  Tensor() = default;
  explicit Tensor(std::shared_ptr<tensor::TensorImpl> impl);

  // Elements are not initialised. Throws Error(kOutOfMemory).
  static Tensor empty(const Shape& shape, DType dtype, const Place& place = Place());
  // Copies numel() elements from host memory into a tensor on the host.
  static Tensor from_bytes(const void* elements, const Shape& shape, DType dtype);
  // On the host, with the elements that `write` puts at the address which it gets (none for an
  // empty shape), and that it must not keep.
  static Tensor generate(const Shape& shape, DType dtype,
                         const std::function<void(void* elements)>& write);
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

  // A name for messages and reports.
  const Tensor& set_name(const std::string& name) const;
  // Empty without one.
  [[nodiscard]] const std::string& name() const;

  // The first element's address in the memory of place(); only a host tensor's may be dereferenced.
  // Waits for all work that uses the memory. Whoever has it may change elements at any time: an
  // executor packs a parameter (see inspect::PackedConstant) for each run anew from then on.
  [[nodiscard]] void* raw_data() const;
  // Waits and returns the address as raw_data() does, for reading alone.
  [[nodiscard]] const void* read_data() const;
  // The elements of a host tensor, as raw_data(). Throws Error(kInvalidArgument) for another dtype
  // or place.
  template <class T>
  [[nodiscard]] T* data() const;
  // The only element, from any place.
  template <class T>
  [[nodiscard]] T item() const;
  // All elements, from any place.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const;

  // This tensor itself if it is there already, else a copy, which is enqueued. An explicit
  // transfer.
  [[nodiscard]] Tensor to(const Place& place) const;
  // A copy on the host, complete on return.
  [[nodiscard]] Tensor to_host() const;
  // Copies the elements of `source`, which must have this dtype and shape, into this storage; with
  // `blocking` the host waits for it.
  void copy_(const Tensor& source, bool blocking = true) const;

  // Views: they share the storage, and a change of one is seen in all.
  // The same elements under another shape of the same size.
  [[nodiscard]] Tensor reshaped(const Shape& shape) const;
  // Element `index` along dimension 0, which is gone; a negative index counts from the end.
  [[nodiscard]] Tensor operator[](std::int64_t index) const;
  // Elements [begin, end) along dimension 0; negative bounds count from the end.
  [[nodiscard]] Tensor rows(std::int64_t begin, std::int64_t end) const;
  // A tensor of the same elements, outside of what is differentiated.
  [[nodiscard]] Tensor detach() const;

  // Changes in place. The result keeps dtype, shape and place. They return this tensor. Where
  // gradients are recorded they take part, but for what has no right gradient: that throws
  // Error(kInvalidArgument), here or in backward(). `other` is read as it was before, also where it
  // is a view of the same memory.
  const Tensor& add_(const Tensor& other) const;
  const Tensor& sub_(const Tensor& other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& div_(const Tensor& other) const;
  // The part that slice() would take, by the same rule of bounds, becomes `other`, repeated to its
  // shape.
  const Tensor& set_slice_(const Tensor& other, const std::vector<std::int64_t>& axes,
                           const std::vector<std::int64_t>& starts,
                           const std::vector<std::int64_t>& ends,
                           const std::vector<std::int64_t>& steps = {}) const;
  const Tensor& fill_(double value) const;
  const Tensor& zero_() const { return fill_(0.0); }
  // How often the storage has been changed in place.
  [[nodiscard]] std::uint64_t version() const;

  // Returns true if gradients are recorded for what is computed from the tensor.
  [[nodiscard]] bool requires_grad() const;
  // Takes a tensor that is not the result of recorded ops, with a floating dtype; else throws
  // Error(kInvalidArgument).
  const Tensor& set_requires_grad(bool required = true) const;
  // Returns true if the tensor is not the result of recorded ops.
  [[nodiscard]] bool is_leaf() const;
  // Adds the gradients of this tensor to those of the leaves that it was computed from. `gradient`
  // has this tensor's form; a tensor of one element takes 1 without it. What backward() needs is
  // released, and a second one throws Error(kInvalidArgument), unless `retain_graph`. With
  // `create_graph`, which implies that, the gradients can be differentiated themselves.
  void backward(const Tensor& gradient = {}, bool retain_graph = false,
                bool create_graph = false) const;
  // The sum of what backward() has brought so far; undefined if none has. Rows are made dense.
  [[nodiscard]] Tensor grad() const;
  // The gradient as rows, as embedding gives it with sparse gradients; undefined members if it is
  // dense or absent.
  [[nodiscard]] SparseRows grad_rows() const;
  // Replaces the gradient; an undefined one clears it.
  void set_grad(const Tensor& gradient) const;
  // backward() leaves the gradient of this result of recorded ops too.
  void retain_grad() const;
  // Called in backward() with the gradient of this tensor; what it returns, if it is defined, takes
  // its place, and must have its dtype, shape and place: otherwise backward() throws
  // Error(kInvalidArgument).
  void register_hook(std::function<Tensor(const Tensor&)> hook) const;

  // dtype, shape, place and elements, for people. Of more than a thousand elements it has those at
  // both ends of each dimension.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] const std::shared_ptr<tensor::TensorImpl>& impl() const noexcept { return impl_; }

 private:
  void check_host(DType expected) const;

  std::shared_ptr<tensor::TensorImpl> impl_;
};

// Row i of `values`, [n, ...], belongs to row rows[i] of the whole, or to none where that is -1; a
// row may occur several times, and its values add up then.
struct SparseRows {
  Tensor rows;
  Tensor values;
  [[nodiscard]] bool defined() const noexcept { return rows.defined(); }
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
  check_host(dtype_of<T>);
  return static_cast<T*>(raw_data());
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  const Tensor host = to_host();
  host.check_host(dtype_of<T>);
  const auto* first = static_cast<const T*>(host.read_data());
  return std::vector<T>(first, first + host.numel());
}

template <class T>
T Tensor::item() const {
  check_single_element(*this);
  const Tensor host = to_host();
  host.check_host(dtype_of<T>);
  return *static_cast<const T*>(host.read_data());
}

}  // namespace v0
}  // namespace loci
