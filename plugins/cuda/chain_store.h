// Kernels of chains as NVRTC made them, kept on the disk between runs.
#pragma once

#include <cstdint>
#include <loci/plugin/cache_folder.hpp>
#include <optional>
#include <string>
#include <utility>

namespace loci::cuda {

// A file for each: $XDG_CACHE_HOME/loci/cuda, else ~/.cache/loci/cuda.
class ChainStore {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  // All files together take at most `most_bytes`; those that were not used for longest are removed.
  // Without a directory nothing is kept.
  explicit ChainStore(std::string directory, std::uint64_t most_bytes = kMostBytes);
  static std::string directory_of_user() { return sdk::CacheFolder::of_user("cuda"); }

  // `key` is all that the text hangs on, and `name` begins the file's.
  [[nodiscard]] std::optional<std::string> find(const std::string& name,
                                                const std::string& key) const {
    return folder_.find(name, key);
  }
  // Why it could not be kept; empty if it was, or nothing is.
  [[nodiscard]] std::string keep(const std::string& name, const std::string& key,
                                 const std::string& text) const {
    return folder_.keep(name, key, text);
  }

 private:
  sdk::CacheFolder folder_;
};

}  // namespace loci::cuda
