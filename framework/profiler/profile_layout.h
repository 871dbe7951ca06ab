// How a profile file is laid out.
//
//   ProfileFileHeader
//   ProfileSection, as many as the header says
//   the sections' bytes, one after the other, to the end of the file
//
// Numbers are in the byte order of the machine that wrote the file. Within a section they are
// packed; a text or an array is its length, 4 or 8 bytes, and its bytes or elements. See
// recording_fields.h for what they hold. A file of another version is another format: only
// the first three members of the header stay as they are.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace loci::profiler {

inline constexpr std::string_view kProfileMagic = "LOCIPROF";
inline constexpr std::uint32_t kProfileByteOrder = 0x01020304;
inline constexpr std::uint32_t kProfileVersion = 4;

struct ProfileFileHeader {
  std::array<char, 8> magic{};
  std::uint32_t byte_order = kProfileByteOrder;
  std::uint32_t version = kProfileVersion;
  std::uint64_t file_bytes = 0;
  std::uint32_t section_count = 0;
  std::uint32_t checksum = 0;  // CRC-32 of what is before it, then of the table of sections
};
static_assert(sizeof(ProfileFileHeader) == 32);

struct ProfileSection {
  std::uint32_t id = 0;        // its place in kProfileSections
  std::uint32_t checksum = 0;  // CRC-32
  std::uint64_t bytes = 0;
};
static_assert(sizeof(ProfileSection) == 16);

// All of them are there, in this order.
inline constexpr std::array<std::string_view, 9> kProfileSections = {
    "session",     "labels", "texts", "threads", "devices",
    "device work", "memory", "steps", "quality"};

inline std::uint32_t profile_checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace loci::profiler
