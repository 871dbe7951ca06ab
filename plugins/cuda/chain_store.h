// Kernels of chains as NVRTC made them, kept on the disk between runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace loci::cuda {

// A file for each: $XDG_CACHE_HOME/loci/cuda, else ~/.cache/loci/cuda. Threads and processes may
// use one directory at once. A file that is damaged, another user's or open to others' writing is
// none.
class ChainStore {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  // Keeps so many bytes of all files together, and removes those that were not used for longest.
  // Without a directory nothing is kept.
  explicit ChainStore(std::string directory, std::uint64_t most_bytes = kMostBytes)
      : directory_(std::move(directory)), most_bytes_(most_bytes) {}
  static std::string directory_of_user();

  // `key` is all that the text hangs on, and `name` begins the file's.
  [[nodiscard]] std::optional<std::string> find(const std::string& name,
                                                const std::string& key) const;
  // Why it could not be kept; empty if it was, or nothing is.
  [[nodiscard]] std::string keep(const std::string& name, const std::string& key,
                                 const std::string& text) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& name, const std::string& key) const;
  void remove_oldest() const;

  std::string directory_;
  std::uint64_t most_bytes_;
};

}  // namespace loci::cuda
