#include "tools/cuda_double/driver/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace loci::cuda_double {

void Findings::report(std::string_view kind, const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::string line = fmt::format("{}: {}", kind, text);
  const bool known = std::any_of(texts_.begin(), texts_.end(),
                                 [&](const std::string* each) { return *each == line; });
  if (known || texts_.size() >= kMost) return;
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
