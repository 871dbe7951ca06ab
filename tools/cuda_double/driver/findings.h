// Reports what the double found wrong in its user's program: a line on stderr each, kept for
// whoever asks. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace loci::cuda_double {

class Findings {
 public:
  explicit Findings(bool abort_on_finding) : abort_on_finding_(abort_on_finding) {}

  // `kind` is one word, such as "race". The same text is reported once; `where` follows the first.
  void report(std::string_view kind, const std::string& text, std::string_view where = {});
  [[nodiscard]] std::size_t count() const;
  // "race: ..."; stays valid. NULL beyond the last.
  [[nodiscard]] const char* text(std::size_t index) const;

 private:
  static constexpr std::size_t kMost = 1000;

  const bool abort_on_finding_;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> known_;
  std::vector<const std::string*> texts_;  // kept until the process ends
};

}  // namespace loci::cuda_double
