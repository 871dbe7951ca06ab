#include <algorithm>
#include <array>
#include <cstring>
#include <loci/dlpack.hpp>
#include <memory>
#include <optional>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/node.h"
#include "framework/eager/relocation.h"
#include "framework/memory/node_pool.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace eager {
namespace {

using dlpack::DataType;
using dlpack::ManagedTensor;
using dlpack::View;
using tensor::Storage;
using tensor::TensorImpl;

// The device types that DLPack and the library both have.
struct DeviceCode {
  std::int32_t code;
  const char* type;
};
constexpr std::array kDeviceCodes{
    DeviceCode{dlpack::kCpu, "cpu"},      DeviceCode{dlpack::kCuda, "cuda"},
    DeviceCode{dlpack::kCudaHost, "cpu"}, DeviceCode{dlpack::kRocm, "rocm"},
    DeviceCode{dlpack::kRocmHost, "cpu"}, DeviceCode{dlpack::kExtension, "sim"},
};

struct TypePair {
  DType dtype;
  DataType code;
};
constexpr std::array kTypes{
    TypePair{kBool, {dlpack::kBool, 8, 1}},        TypePair{kInt8, {dlpack::kInt, 8, 1}},
    TypePair{kInt16, {dlpack::kInt, 16, 1}},       TypePair{kInt32, {dlpack::kInt, 32, 1}},
    TypePair{kInt64, {dlpack::kInt, 64, 1}},       TypePair{kUInt8, {dlpack::kUInt, 8, 1}},
    TypePair{kUInt16, {dlpack::kUInt, 16, 1}},     TypePair{kUInt32, {dlpack::kUInt, 32, 1}},
    TypePair{kUInt64, {dlpack::kUInt, 64, 1}},     TypePair{kFloat16, {dlpack::kFloat, 16, 1}},
    TypePair{kBFloat16, {dlpack::kBFloat, 16, 1}}, TypePair{kFloat32, {dlpack::kFloat, 32, 1}},
    TypePair{kFloat64, {dlpack::kFloat, 64, 1}},
};

DataType code_of(DType dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.dtype == dtype) return pair.code;
  }
  core::raise(ErrorCode::kUnsupported, "[to_dlpack] DLPack has no code for {}", dtype_name(dtype));
}

dlpack::Device code_of(const Place& place) {
  for (const DeviceCode& device : kDeviceCodes) {
    if (place.type() == device.type) return {device.code, place.index()};
  }
  core::raise(ErrorCode::kUnsupported,
              "[to_dlpack] DLPack has no code for {}; copy the tensor with to(\"cpu\")",
              place.to_string());
}

// An exported tensor refers to this.
struct Export {
  ManagedTensor managed{};
  std::shared_ptr<Storage> storage;
  std::array<std::int64_t, Shape::kMaxRank> shape{};
  std::array<std::int64_t, Shape::kMaxRank> strides{};
};

void end_export(ManagedTensor* managed) { delete static_cast<Export*>(managed->owner); }

void fill_view(const TensorImpl& impl, Export* made) {
  View& view = made->managed.tensor;
  view.data = impl.data();
  impl.storage()->is_exposed.store(true, std::memory_order_release);
  view.device = code_of(impl.place());
  view.rank = impl.shape().rank();
  view.dtype = code_of(impl.dtype());
  // Without elements extents may be of any size, and strides mean nothing.
  const bool has_elements = impl.shape().numel() > 0;
  std::int64_t stride = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    const auto at = static_cast<std::size_t>(axis);
    made->shape[at] = impl.shape()[axis];
    made->strides[at] = stride;
    if (has_elements) stride *= impl.shape()[axis];
  }
  view.shape = made->shape.data();
  view.strides = made->strides.data();
}

void check_exportable(const Tensor& tensor) {
  (void)tensor.dtype();  // refuses an undefined one
  tensor::require_elements(*tensor.impl(), "to_dlpack()");
  tensor::require_current_context(*tensor.impl(), "to_dlpack()");
  if (!requires_grad(tensor)) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[to_dlpack] {} {} takes part in a gradient, which another library would not see; "
              "export its detach()",
              dtype_name(tensor.dtype()), tensor.shape().to_string());
}

// Calls the deleter in the end.
using Managed = std::shared_ptr<ManagedTensor>;

Managed take_over(DLManagedTensorVersioned* managed) {
  if (managed == nullptr) {
    core::raise(ErrorCode::kInvalidArgument, "[from_dlpack] got a null pointer");
  }
  return {reinterpret_cast<ManagedTensor*>(managed), [](ManagedTensor* taken) {
            if (taken->deleter != nullptr) taken->deleter(taken);
          }};
}

void check_header(const ManagedTensor& managed, bool copies) {
  if (managed.version.major != dlpack::kMajorVersion) {
    core::raise(ErrorCode::kIncompatible,
                "[from_dlpack] the tensor has DLPack version {}.{}; version {}.x is read here",
                managed.version.major, managed.version.minor, dlpack::kMajorVersion);
  }
  if ((managed.flags & dlpack::kReadOnly) != 0 && !copies) {
    core::raise(ErrorCode::kUnsupported,
                "[from_dlpack] the memory may only be read, and a tensor can be changed in place; "
                "import a copy with from_dlpack(managed, true)");
  }
}

DType dtype_of_code(const DataType& type) {
  for (const TypePair& pair : kTypes) {
    if (pair.code.code == type.code && pair.code.bits == type.bits && type.lanes == 1) {
      return pair.dtype;
    }
  }
  core::raise(ErrorCode::kUnsupported,
              "[from_dlpack] no dtype has type code {}, {} bits and {} lanes; scalar booleans, "
              "integers, float16, bfloat16, float32 and float64 are read",
              type.code, type.bits, type.lanes);
}

Place place_of_code(const dlpack::Device& device) {
  for (const DeviceCode& known : kDeviceCodes) {
    if (known.code != device.type) continue;
    if (known.type == Place().type()) return {};
    return {known.type, device.index};
  }
  core::raise(
      ErrorCode::kUnsupported,
      "[from_dlpack] device type {} is unknown; host memory (1, 3, 11), cuda (2), rocm (10) "
      "and sim (12) are read",
      device.type);
}

Shape shape_of(const View& view) {
  if (view.rank < 0 || (view.rank > 0 && view.shape == nullptr)) {
    core::raise(ErrorCode::kInvalidArgument, "[from_dlpack] got {} dimensions {} a shape",
                view.rank, view.shape == nullptr ? "without" : "with");
  }
  if (view.rank > Shape::kMaxRank) {
    core::raise(ErrorCode::kUnsupported,
                "[from_dlpack] the tensor has {} dimensions; {} are the most", view.rank,
                Shape::kMaxRank);
  }
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] >= 0) continue;
    core::raise(ErrorCode::kInvalidArgument, "[from_dlpack] dimension {} has {} elements", axis,
                view.shape[axis]);
  }
  return {view.shape, view.rank};
}

bool has_no_elements(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
}

// How far the elements lie before and behind the first one, in bytes.
struct Reach {
  std::int64_t before = 0;  // not above zero
  std::int64_t behind = 0;
};

// None for more than 63 bits can say.
std::optional<Reach> reach_of(const View& view, DType dtype, const Shape& shape) {
  const auto element = static_cast<std::int64_t>(dtype_size(dtype));
  Reach reach{0, element};
  std::int64_t bytes = element;  // of the inner axes, densely
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    // The stride of a single element says nothing, and may be any number.
    if (shape[axis] == 1) continue;
    std::int64_t stride = bytes;
    if (view.strides != nullptr && __builtin_mul_overflow(view.strides[axis], element, &stride)) {
      return std::nullopt;
    }
    std::int64_t steps = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, stride, &steps)) return std::nullopt;
    std::int64_t* end = stride < 0 ? &reach.before : &reach.behind;
    if (__builtin_add_overflow(*end, steps, end)) return std::nullopt;
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes)) return std::nullopt;
  }
  return reach;
}

// The address of the first element, if there can be memory where the elements are said to be.
std::optional<std::uintptr_t> first_address(const View& view, DType dtype, const Shape& shape) {
  const std::optional<Reach> reach = reach_of(view, dtype, shape);
  const auto data = reinterpret_cast<std::uintptr_t>(view.data);
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  const bool exists = reach && !__builtin_add_overflow(data, view.byte_offset, &first) &&
                      !__builtin_add_overflow(first, reach->before, &end) &&
                      !__builtin_add_overflow(first, reach->behind, &end);
  return exists ? std::optional(first) : std::nullopt;
}

// One tensor on its way in, checked.
struct Import {
  const View& view;
  DType dtype;
  Shape shape;
  Place place;
  char* data;  // the first element; null without elements

  [[nodiscard]] std::size_t element() const { return dtype_size(dtype); }
  [[nodiscard]] bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(data) % element() == 0;
  }
  [[nodiscard]] bool is_dense() const {
    if (view.strides == nullptr || shape.numel() == 0) return true;
    std::int64_t expected = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (shape[axis] != 1 && view.strides[axis] != expected) return false;
      expected *= shape[axis];
    }
    return true;
  }
};

Import read_view(const View& view) {
  Import import{view, dtype_of_code(view.dtype), shape_of(view), place_of_code(view.device),
                nullptr};
  if (has_no_elements(import.shape)) return import;
  if (view.data == nullptr) {
    core::raise(ErrorCode::kInvalidArgument, "[from_dlpack] {} {} has a null pointer for its data",
                dtype_name(import.dtype), import.shape.to_string());
  }
  const auto first = first_address(view, import.dtype, import.shape);
  if (!first) {
    core::raise(ErrorCode::kInvalidArgument,
                "[from_dlpack] {} {} with its strides and an offset of {} bytes does not fit into "
                "the address space",
                dtype_name(import.dtype), import.shape.to_string(), view.byte_offset);
  }
  import.data = reinterpret_cast<char*>(*first);
  return import;
}

// Appends the elements from `axis` on to `out`, in order; returns its new end.
char* gather(const Import& import, int axis, const char* from, char* out) {
  const std::size_t element = import.element();
  if (axis == import.shape.rank()) {
    std::memcpy(out, from, element);
    return out + element;
  }
  if (import.shape[axis] == 1) return gather(import, axis + 1, from, out);
  const std::int64_t stride = import.view.strides[axis] * static_cast<std::int64_t>(element);
  for (std::int64_t i = 0; i < import.shape[axis]; ++i) {
    out = gather(import, axis + 1, from + i * stride, out);
  }
  return out;
}

Tensor copied_on_host(const Import& import) {
  const Tensor made = Tensor::empty(import.shape, import.dtype);
  if (made.bytes() == 0) return made;
  auto* out = static_cast<char*>(made.raw_data());
  if (import.is_dense()) {
    std::memcpy(out, import.data, made.bytes());
  } else {
    gather(import, 0, import.data, out);
  }
  return made;
}

void check_device_memory(const Import& import) {
  if (import.is_dense() && import.is_aligned()) return;
  core::raise(
      ErrorCode::kUnsupported,
      "[from_dlpack] {} {} at {} does not lie densely in aligned memory; make it contiguous "
      "in the library that it comes from",
      dtype_name(import.dtype), import.shape.to_string(), import.place.to_string());
}

Tensor borrowed(const Import& import, const Managed& managed) {
  auto storage = memory::make_pooled<Storage>();
  if (!import.place.is_host()) {
    check_device_memory(import);
    storage->device = &device::DeviceManager::instance().get(import.place);
  }
  storage->place = import.place;
  storage->data = import.data;
  storage->owner = managed;
  storage->is_exposed.store(true, std::memory_order_relaxed);
  auto impl = memory::make_pooled<TensorImpl>(import.dtype, import.shape, storage);
  storage->bytes = impl->bytes();
  return Tensor(std::move(impl));
}

Tensor copied_on_device(const Import& import, const Managed& managed) {
  const Tensor made = Tensor::empty(import.shape, import.dtype, import.place);
  copy_elements(borrowed(import, managed), made, /*site=*/nullptr);
  made.impl()->storage()->uses.wait();
  return made;
}

Tensor imported(const Import& import, const Managed& managed, bool copies) {
  if (!import.place.is_host()) {
    return copies ? copied_on_device(import, managed) : borrowed(import, managed);
  }
  if (copies || !import.is_dense() || !import.is_aligned()) return copied_on_host(import);
  return borrowed(import, managed);
}

}  // namespace
}  // namespace eager

inline namespace v0 {

DLManagedTensorVersioned* to_dlpack(const Tensor& tensor) {
  eager::check_exportable(tensor);
  auto made = std::make_unique<eager::Export>();
  tensor.impl()->storage()->uses.wait(/*writers_only=*/true);
  eager::fill_view(*tensor.impl(), made.get());
  made->storage = tensor.impl()->storage();
  made->managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  made->managed.deleter = &eager::end_export;
  dlpack::ManagedTensor& managed = made->managed;
  managed.owner = made.release();
  return reinterpret_cast<DLManagedTensorVersioned*>(&managed);
}

Tensor from_dlpack(DLManagedTensorVersioned* managed, bool copy) {
  const eager::Managed taken = eager::take_over(managed);
  eager::check_header(*taken, copy);
  return eager::imported(eager::read_view(taken->tensor), taken, copy);
}

}  // namespace v0
}  // namespace loci
