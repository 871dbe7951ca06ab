// Files that can be read once, from their beginning to their end: pipes, and standard input.
#pragma once

#include <loci/error.hpp>
#include <string>
#include <utility>

namespace loci::runner {

// Returns true for "-", which stands for standard input, or the path of a pipe, socket or device.
[[nodiscard]] bool is_piped(const std::string& path);

// A copy of what came through such a path. It is read at the first request and kept in memory, so
// that several feeds can share it.
struct PipedFile {
  std::string path;  // of the copy, as long as the process runs
  bool is_archive = false;
};

// Throws Failure(kUsage) for a terminal, and Failure(kBadInput) if it cannot be read.
const PipedFile& read_piped(const std::string& path);

// The error with that name instead of the copy's path.
[[nodiscard]] Error naming(const Error& error, const std::string& path, const PipedFile& file);

// Calls `work` with the copy; an error out of it names what the user named.
template <class Work>
decltype(auto) with_piped(const std::string& path, Work&& work) {
  const PipedFile& file = read_piped(path);
  try {
    return std::forward<Work>(work)(file);
  } catch (const Error& error) {
    throw naming(error, path, file);
  }
}

}  // namespace loci::runner
