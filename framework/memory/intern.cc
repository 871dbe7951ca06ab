#include "framework/memory/intern.h"

#include <functional>
#include <mutex>
#include <string>
#include <unordered_set>

namespace loci::memory {
namespace {

// Finds a text as it is given, so that one that is known costs no memory.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

using Texts = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace

const char* intern(std::string_view text) {
  static std::mutex mutex;
  static auto& texts = *new Texts;
  const std::lock_guard lock(mutex);
  const auto known = texts.find(text);
  return known != texts.end() ? known->c_str() : texts.emplace(text).first->c_str();
}

}  // namespace loci::memory
