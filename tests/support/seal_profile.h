// Profile files that were damaged on purpose, with checksums that fit again, so that what lies
// behind the checksums is tested too.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "framework/profiler/profile_layout.h"

namespace loci::test_support {

// Sets the file's size and all checksums, as far as there is a header and the sections lie in the
// file.
inline void seal_profile(char* file, std::size_t size) {
  using profiler::ProfileFileHeader;
  std::array<profiler::ProfileSection, profiler::kProfileSections.size()> table;
  ProfileFileHeader header;
  if (size < sizeof header + sizeof table) return;
  std::memcpy(&header, file, sizeof header);
  std::memcpy(&table, file + sizeof header, sizeof table);
  std::string_view rest(file, size);
  rest.remove_prefix(sizeof header + sizeof table);
  for (profiler::ProfileSection& section : table) {
    if (section.bytes > rest.size()) break;
    section.checksum = profiler::profile_checksum(rest.substr(0, section.bytes));
    rest.remove_prefix(section.bytes);
  }
  header.file_bytes = size;
  std::memcpy(file, &header, sizeof header);
  std::memcpy(file + sizeof header, &table, sizeof table);
  header.checksum = profiler::profile_checksum(
      {file + sizeof header, sizeof table},
      profiler::profile_checksum({file, offsetof(ProfileFileHeader, checksum)}));
  std::memcpy(file, &header, sizeof header);
}

inline std::string sealed_profile(std::string file) {
  seal_profile(file.data(), file.size());
  return file;
}

}  // namespace loci::test_support
