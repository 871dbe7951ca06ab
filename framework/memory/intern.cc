#include "framework/memory/intern.h"

#include <mutex>
#include <string>
#include <unordered_set>

namespace loci::memory {

const char* intern(std::string_view text) {
  static std::mutex mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.emplace(text).first->c_str();
}

}  // namespace loci::memory
