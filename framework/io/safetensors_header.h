// The header of the safetensors format.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace loci {
inline namespace v0 {
namespace io {

// The limit that the format's own reader has.
inline constexpr std::uint64_t kLongestSafetensorsHeader = 100'000'000;
// The key of a map of strings beside the tensors.
inline constexpr std::string_view kMetadataKey = "__metadata__";

// One tensor: bytes [begin, end) after the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kNone;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Reads the header of a file that has `data_bytes` bytes after it. The entries come in the order of
// their bytes, and fill them without gap or overlap. Throws Error(kDataLoss) with the file, the
// tensor, the field and the reason.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json,
                                                       std::uint64_t data_bytes,
                                                       const std::string& file);

// Puts entries, whose begin and end are still open, into the order of the format's own writer, and
// lays their bytes out.
void lay_out(std::vector<SafetensorsEntry>& entries, const std::string& file);

// All that comes before the tensors' bytes; a multiple of 8 bytes. Throws Error(kInvalidArgument)
// for a name that cannot be written.
std::string safetensors_preamble(const std::vector<SafetensorsEntry>& entries,
                                 const std::string& file);

}  // namespace io
}  // namespace v0
}  // namespace loci
