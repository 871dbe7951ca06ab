#include "tools/cuda_double/driver/image.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/fat_binary.h"

namespace loci::cuda_double {
namespace {

constexpr std::string_view kLinkedMagic = "\x7fLOCIPTX";

template <typename T>
T read(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

std::vector<std::string> linked_texts(const char* image) {
  const char* at = image + kLinkedMagic.size();
  std::vector<std::string> texts(read<std::uint64_t>(at));
  for (auto& text : texts) {
    const auto length = read<std::uint64_t>(at);
    text.assign(at, length);
    at += length;
  }
  return texts;
}

// PTX begins with its version, perhaps behind comments.
bool is_ptx(std::string_view text) {
  while (true) {
    const auto start = text.find_first_not_of(" \t\r\n\f\v");
    if (start == std::string_view::npos) return false;
    text.remove_prefix(start);
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.size(), text.find('\n')));
    } else if (text.starts_with("/*")) {
      const auto end = text.find("*/");
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 2);
    } else {
      return text.starts_with(".version");
    }
  }
}

}  // namespace

std::vector<std::string> ptx_texts(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  if (is_fat_binary(image)) return {ptx_of_fat_binary(image)};
  if (std::strncmp(bytes, kLinkedMagic.data(), kLinkedMagic.size()) == 0) {
    return linked_texts(bytes);
  }
  require(std::strncmp(bytes,
                       "\x7f"
                       "ELF",
                       4) != 0,
          CUDA_ERROR_NO_BINARY_FOR_GPU, "it is machine code; the double runs PTX alone");
  require(is_ptx(bytes), CUDA_ERROR_INVALID_IMAGE, "it is neither PTX nor a fat binary");
  return {bytes};
}

std::vector<std::byte> make_linked_image(const std::vector<std::string>& texts) {
  std::size_t bytes = kLinkedMagic.size() + sizeof(std::uint64_t);
  for (const auto& text : texts) bytes += sizeof(std::uint64_t) + text.size();
  std::vector<std::byte> image(bytes);
  std::byte* at = image.data();
  const auto append = [&](const void* data, std::size_t count) {
    std::memcpy(at, data, count);
    at += count;
  };
  const auto append_number = [&](std::uint64_t number) { append(&number, sizeof number); };
  append(kLinkedMagic.data(), kLinkedMagic.size());
  append_number(texts.size());
  for (const auto& text : texts) {
    append_number(text.size());
    append(text.data(), text.size());
  }
  return image;
}

}  // namespace loci::cuda_double
