#include "tools/cuda_double/driver/unpack.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "tools/cuda_double/driver/driver_error.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of a text that is taken for one

// Its function, for good.
template <typename Function>
Function* open_function(const char* library, const char* name) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* function = opened == nullptr ? nullptr : dlsym(opened, name);
  if (function == nullptr) {
    throw DriverError(
        CUDA_ERROR_INVALID_IMAGE,
        fmt::format("the PTX is compressed and {} is not there; compile with --no-compress",
                    library));
  }
  return reinterpret_cast<Function*>(function);
}

void require_undamaged(bool undamaged) {
  require(undamaged, CUDA_ERROR_INVALID_IMAGE, "the compressed PTX is damaged");
}

}  // namespace

std::string unpack_lz4(std::string_view packed, std::uint64_t bytes) {
  static const auto decompress =
      open_function<int(const char*, char*, int, int)>("liblz4.so.1", "LZ4_decompress_safe");
  require_undamaged(bytes <= kMostBytes && packed.size() <= kMostBytes);
  std::string text(bytes, '\0');
  const int unpacked = decompress(packed.data(), text.data(), static_cast<int>(packed.size()),
                                  static_cast<int>(bytes));
  require_undamaged(unpacked >= 0 && static_cast<std::uint64_t>(unpacked) == bytes);
  return text;
}

std::string unpack_zstd(std::string_view packed, std::uint64_t bytes) {
  using Decompress = std::size_t(void*, std::size_t, const void*, std::size_t);
  static const auto decompress = open_function<Decompress>("libzstd.so.1", "ZSTD_decompress");
  require_undamaged(bytes <= kMostBytes);
  std::string text(bytes, '\0');
  // An error is a number beyond all sizes.
  require_undamaged(decompress(text.data(), bytes, packed.data(), packed.size()) == bytes);
  return text;
}

}  // namespace loci::cuda_double
