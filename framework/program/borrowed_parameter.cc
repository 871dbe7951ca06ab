#include "framework/program/borrowed_parameter.h"

#include <algorithm>
#include <array>
#include <loci/dlpack.hpp>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/ops/program_builder.h"
#include "framework/plugin/stated_text.h"
#include "framework/program/builder.h"

namespace loci::program {
namespace {

// The tensor's hold on the plugin's memory. DLPack's struct is how a tensor takes over memory of
// others without a copy.
struct Memory {
  dlpack::ManagedTensor managed{};
  std::array<std::int64_t, Shape::kMaxRank> shape{};
  void (*release)(void* context);
  void* context;

  explicit Memory(const loci_parameter& given) : release(given.release), context(given.context) {}
  ~Memory() {
    if (release != nullptr) release(context);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  static void end(dlpack::ManagedTensor* managed) { delete static_cast<Memory*>(managed->owner); }
};

template <class... Args>
[[noreturn]] void refuse(const std::string& name, fmt::format_string<Args...> format,
                         Args&&... args) {
  core::raise(ErrorCode::kInvalidArgument, "[builder] the parameter {} {}", core::quote(name),
              fmt::format(format, std::forward<Args>(args)...));
}

ops::TensorType type_of(const loci_parameter& parameter, const std::string& name) {
  try {
    return ops::type_from_abi(parameter.type);
  } catch (const Error& error) {
    refuse(name, "{}", error.what());
  }
}

void check_bytes(const loci_parameter& parameter, const ops::TensorType& type,
                 const std::string& name) {
  std::uint64_t bytes = dtype_size(type.dtype);
  bool fits = true;
  for (const std::int64_t extent : type.shape) {
    fits = fits && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
  }
  if (fits && bytes == parameter.bytes && (bytes == 0 || parameter.data != nullptr)) return;
  refuse(name, "of {}{} has {} bytes{}; it needs {}", dtype_name(type.dtype),
         type.shape.to_string(), parameter.bytes, parameter.data == nullptr ? " at NULL" : "",
         fits ? std::to_string(bytes) : "more than there can be");
}

dlpack::DataType code_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(dtype_size(dtype) * 8);
  switch (dtype) {
    case kBool: return {dlpack::kBool, bits, 1};
    case kBFloat16: return {dlpack::kBFloat, bits, 1};
    case kFloat16:
    case kFloat32:
    case kFloat64: return {dlpack::kFloat, bits, 1};
    case kUInt8:
    case kUInt16:
    case kUInt32:
    case kUInt64: return {dlpack::kUInt, bits, 1};
    default: return {dlpack::kInt, bits, 1};
  }
}

Tensor tensor_over(std::unique_ptr<Memory> memory, const void* data, const ops::TensorType& type) {
  std::copy(type.shape.begin(), type.shape.end(), memory->shape.begin());
  dlpack::ManagedTensor& managed = memory->managed;
  managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed.deleter = &Memory::end;
  managed.tensor.data = const_cast<void*>(data);
  managed.tensor.device = {dlpack::kCpu, 0};
  managed.tensor.rank = type.shape.rank();
  managed.tensor.dtype = code_of(type.dtype);
  managed.tensor.shape = memory->shape.data();
  managed.owner = memory.release();
  return from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(&managed));
}

// The memory is released where there is none to say whose it is, too.
std::unique_ptr<Memory> take_over(const loci_parameter& parameter) {
  try {
    return std::make_unique<Memory>(parameter);
  } catch (const std::bad_alloc&) {
    if (parameter.release != nullptr) parameter.release(parameter.context);
    throw;
  }
}

}  // namespace

BorrowedParameter borrow_parameter(const loci_parameter& parameter) {
  std::unique_ptr<Memory> memory = take_over(parameter);
  const std::string name(plugin::stated_text(parameter.name, "parameter's name"));
  const ops::TensorType type = type_of(parameter, name);
  if (!type.shape.is_static()) {
    refuse(name, "has the shape {}; every extent has to be known", type.shape.to_string());
  }
  check_bytes(parameter, type, name);
  BorrowedParameter borrowed;
  borrowed.desc.name = name;
  borrowed.desc.type = type;
  borrowed.desc.persistable = true;
  borrowed.desc.trainable = parameter.trainable != 0;
  borrowed.desc.stop_gradient = parameter.trainable == 0;
  borrowed.desc.guard = current_guard();
  borrowed.tensor = tensor_over(std::move(memory), parameter.data, type);
  return borrowed;
}

}  // namespace loci::program
