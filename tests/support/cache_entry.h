// The content of a file of a cache (loci/plugin/cache_folder.hpp), and files with another one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <loci/plugin/cache_folder.hpp>
#include <string>

namespace loci::test {

// Where the content begins; at the end of what is no such file.
inline std::size_t cache_content_at(const std::string& file) {
  const std::size_t line = file.find('\n');
  const std::size_t space = file.rfind(' ', line);
  if (line == std::string::npos || space == std::string::npos) return file.size();
  return line + 1 + std::stoul(file.substr(space));
}

inline std::string cache_content(const std::string& file) {
  return file.substr(cache_content_at(file));
}

// The file as its cache would have written it with that content.
inline std::string with_cache_content(const std::string& file, const std::string& content) {
  const std::size_t line = file.find('\n');
  const std::string rest = file.substr(line + 1, cache_content_at(file) - line - 1) + content;
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016llx",
                static_cast<unsigned long long>(sdk::cache_digest(rest)));
  const std::size_t length = file.rfind(' ', line);
  return file.substr(0, file.find(' ') + 1) + digest + file.substr(length, line + 1 - length) +
         rest;
}

}  // namespace loci::test
