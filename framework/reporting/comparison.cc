#include <loci/profiler.hpp>
#include <utility>

#include "framework/core/environment.h"
#include "framework/profiler/profile_diff.h"
#include "framework/profiler/profile_diff_json.h"
#include "framework/profiler/profile_diff_text.h"
#include "framework/reporting/saved_profile.h"

namespace loci {
inline namespace v0 {
namespace profiling {

Comparison::Comparison(std::shared_ptr<const profiler::ProfileDiff> impl)
    : impl_(std::move(impl)) {}

std::string Comparison::text() const { return profiler::diff_text(*impl_); }
std::string Comparison::json() const { return profiler::diff_json(*impl_); }
bool Comparison::is_slower_by(double percent) const {
  return profiler::is_slower_by(*impl_, percent);
}

Comparison compare(const std::string& first_path, const std::string& second_path) {
  core::check_environment();
  const profiler::Profile first = reporting::open_profile(first_path);
  const profiler::Profile second = reporting::open_profile(second_path);
  return Comparison(
      std::make_shared<const profiler::ProfileDiff>(profiler::compare(first, second)));
}

}  // namespace profiling
}  // namespace v0
}  // namespace loci
