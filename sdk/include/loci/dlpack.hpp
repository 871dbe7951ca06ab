// Tensors to and from other libraries without a copy: DLPack 1.x.
//
// The functions speak of the standard's own struct, which is only declared here: with <dlpack.h>
// included it can be used directly, and without it through dlpack::ManagedTensor, which has the
// same layout: `reinterpret_cast<dlpack::ManagedTensor*>(managed)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/export.hpp>
#include <loci/tensor.hpp>

struct DLManagedTensorVersioned;

namespace loci {
inline namespace v0 {

// The standard's binary interface, under names of our own.
namespace dlpack {

// A library reads what has the major version that it knows, with any minor one.
inline constexpr std::uint32_t kMajorVersion = 1;
inline constexpr std::uint32_t kMinorVersion = 0;

enum DeviceType : std::int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,  // host memory that CUDA has pinned
  kRocm = 10,
  kRocmHost = 11,
  kExtension = 12,  // here: the software accelerator, "sim"
};

enum TypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBFloat = 4,
  kBool = 6,
};

// Bits of ManagedTensor::flags.
inline constexpr std::uint64_t kReadOnly = 1U << 0U;
inline constexpr std::uint64_t kIsCopied = 1U << 1U;  // nobody else has the memory

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct Device {
  std::int32_t type;
  std::int32_t index;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;  // 1, or the width of a vector type
};

struct View {
  void* data;
  Device device;
  std::int32_t rank;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;      // in elements; null: dense, the last dimension fastest
  std::uint64_t byte_offset;  // of the first element from `data`
};

struct ManagedTensor {
  Version version;
  void* owner;
  void (*deleter)(ManagedTensor* self);  // called once by whoever has it last; may be null
  std::uint64_t flags;
  View tensor;
};

static_assert(offsetof(ManagedTensor, tensor) == 32 && sizeof(ManagedTensor) == 80,
              "the layout is that of the standard, for pointers of 64 bits");

}  // namespace dlpack

// The tensor's memory for another library, which ends its use with the deleter; the memory lives
// until then. Waits for the work that writes it, and throws what that failed with; later work is
// the caller's to order. Throws Error(kInvalidArgument) for an undefined tensor and for one that
// takes part in a gradient (detach() it first), Error(kUnsupported) for a place that DLPack has no
// code for.
[[nodiscard]] LOCI_PUBLIC DLManagedTensorVersioned* to_dlpack(const Tensor& tensor);

// The other library's memory as a tensor. Takes `managed` over, even if it throws; the deleter is
// called when no tensor and no work uses the memory any more, perhaps by another thread. The other
// library's own work on the memory has to have ended.
//
// On the host, memory with strides that are not dense, or that is not aligned to its elements, is
// copied, and so is all with `copy`, which is needed for memory that may only be read. Throws
// Error(kIncompatible) for another major version, Error(kInvalidArgument) for what breaks the
// standard's rules, Error(kUnavailable) for a device that is not there, and Error(kUnsupported) for
// a dtype, device or memory that a tensor cannot have.
[[nodiscard]] LOCI_PUBLIC Tensor from_dlpack(DLManagedTensorVersioned* managed, bool copy = false);

}  // namespace v0
}  // namespace loci
