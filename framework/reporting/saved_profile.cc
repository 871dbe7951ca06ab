#include "framework/reporting/saved_profile.h"

#include <loci/error.hpp>
#include <utility>

#include "framework/profiler/profile_file.h"

namespace loci::reporting {

profiler::Profile open_profile(const std::string& path) {
  profiler::Recording recording = profiler::read_profile(path);
  try {
    return profiler::Profile(std::move(recording));
  } catch (const Error& error) {
    throw error.within(path);
  }
}

}  // namespace loci::reporting
