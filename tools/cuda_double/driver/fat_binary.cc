#include "tools/cuda_double/driver/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/unpack.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kLz4 = 0x2000;  // of nvcc before 12.8, and --compress-mode=speed
constexpr std::uint64_t kZstd = 0x8000;

// The toolkit's files have these layouts; found by looking at files of nvcc 13.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* name;
};
struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // of the entries
};
struct Entry {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;  // with padding
  std::uint32_t packed_bytes;   // 0: not packed
  std::uint32_t options_offset;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t unpacked_bytes;
};

template <typename T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Byte by byte: nothing says how long an image is, and a text may be shorter.
bool begins_with(const void* image, std::uint32_t magic) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  for (int i = 0; i < 4; ++i) {
    if (bytes[i] != ((magic >> (8 * i)) & 0xff)) return false;
  }
  return true;
}

const char* data_of(const void* image) {
  if (begins_with(image, kWrapperMagic)) image = read<Wrapper>(image).data;
  return static_cast<const char*>(image);
}

void require_undamaged(bool undamaged) {
  require(undamaged, CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged");
}

std::string text_of(const char* payload, const Entry& entry) {
  const std::string_view packed(payload, entry.packed_bytes);
  require_undamaged(entry.packed_bytes <= entry.payload_bytes);
  std::string text;
  if ((entry.flags & kLz4) != 0) {
    text = unpack_lz4(packed, entry.unpacked_bytes);
  } else if ((entry.flags & kZstd) != 0) {
    text = unpack_zstd(packed, entry.unpacked_bytes);
  } else {
    text.assign(payload, entry.payload_bytes);
  }
  return text.substr(0, text.find('\0'));
}

// The entry at an address, which lies within the bytes that are left.
Entry entry_at(const char* address, std::uint64_t left) {
  const auto entry = read<Entry>(address);
  require_undamaged(entry.header_bytes >= sizeof(Entry) && entry.header_bytes <= left &&
                    entry.payload_bytes <= left - entry.header_bytes);
  return entry;
}

}  // namespace

bool is_fat_binary(const void* image) {
  return begins_with(image, kMagic) || begins_with(image, kWrapperMagic);
}

std::string ptx_of_fat_binary(const void* image) {
  const char* data = data_of(image);
  const auto header = read<Header>(data);
  require(header.magic == kMagic, CUDA_ERROR_INVALID_IMAGE, "it is no fat binary");
  std::uint32_t newest = 0;
  std::string text;
  require_undamaged(header.header_bytes >= sizeof(Header));
  const char* at = data + header.header_bytes;
  std::uint64_t left = header.bytes;
  while (left >= sizeof(Entry)) {
    const Entry entry = entry_at(at, left);
    if (entry.kind == kPtx && entry.architecture >= newest) {
      newest = entry.architecture;
      text = text_of(at + entry.header_bytes, entry);
    }
    at += entry.header_bytes + entry.payload_bytes;
    left -= entry.header_bytes + entry.payload_bytes;
  }
  require(newest != 0, CUDA_ERROR_NO_BINARY_FOR_GPU,
          "the fat binary has no PTX, which is all that the double runs");
  return text;
}

}  // namespace loci::cuda_double
