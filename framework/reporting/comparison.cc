#include <loci/profiler.hpp>

#include "framework/core/environment.h"
#include "framework/profiler/profile_diff.h"
#include "framework/reporting/saved_profile.h"

namespace loci {
inline namespace v0 {
namespace profiling {

ProfileDiff compare(const std::string& first_path, const std::string& second_path) {
  core::check_environment();
  const profiler::Profile first = reporting::open_profile(first_path);
  const profiler::Profile second = reporting::open_profile(second_path);
  return profiler::compare(first, second);
}

}  // namespace profiling
}  // namespace v0
}  // namespace loci
