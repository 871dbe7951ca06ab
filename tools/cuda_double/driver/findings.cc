#include "tools/cuda_double/driver/findings.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace loci::cuda_double {

void Findings::report(std::string_view kind, const std::string& text, std::string_view where) {
  const std::lock_guard lock(mutex_);
  std::string line = fmt::format("{}: {}", kind, text);
  if (texts_.size() >= kMost || !known_.insert(line).second) return;
  line += where;
  fmt::print(stderr, "[cuda double] {}\n", line);
  texts_.push_back(new std::string(std::move(line)));
  if (abort_on_finding_) std::abort();
}

std::size_t Findings::count() const {
  const std::lock_guard lock(mutex_);
  return texts_.size();
}

const char* Findings::text(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < texts_.size() ? texts_[index]->c_str() : nullptr;
}

}  // namespace loci::cuda_double
