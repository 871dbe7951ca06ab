// Damaging files at random, the same way each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace loci::io_test {

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  // One to four changes: a byte or bit, a piece removed or repeated, the end cut off.
  std::string operator()(std::string_view original) {
    std::string text(original);
    for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
      case 2: text[at] = "0123456789-.,:'\"{}[]()TFL"[below(25)]; break;
      case 3: text.erase(at, 1 + below(8)); break;
      case 4: text.insert(at, text.substr(below(text.size()), 1 + below(16))); break;
      default: text.resize(at); break;
    }
  }

  std::mt19937 random_;
};

}  // namespace loci::io_test
