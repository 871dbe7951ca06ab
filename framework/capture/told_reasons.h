// Remembers what has been logged of captured forms: one that has gone for the sake of bytes is not
// told of again each time that it comes back.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace loci::capture {

// Used by one thread at a time.
class ToldReasons {
 public:
  // Some hundred KiB; then all is forgotten, and told again.
  static constexpr std::size_t kMost = 10'000;

  // Returns true if that form is plain for that reason for the first time.
  [[nodiscard]] bool is_first(const std::string& form, std::string_view reason) {
    if (told_.size() >= kMost) told_.clear();
    return told_.insert(std::hash<std::string>()(form + '\n' + std::string(reason))).second;
  }
  void clear() { told_.clear(); }

 private:
  std::unordered_set<std::size_t> told_;  // hashes
};

}  // namespace loci::capture
