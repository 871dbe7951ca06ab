#include "framework/profiler/run_facts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/profiler/abi_text.h"

namespace loci::profiler {
namespace {

std::vector<std::string> places_of(const loci_profile& profile) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < profile.device_count; ++i) {
    places.emplace_back(to_view(profile.devices[i].place));
  }
  return places;
}

std::uint64_t lost_records(const loci_profile_quality& quality) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < quality.drop_count; ++i) count += quality.drops[i].count;
  return count;
}

}  // namespace

profiling::RunFacts facts_of(const Profile& profile) {
  const loci_profile& abi = profile.abi();
  profiling::RunFacts facts;
  facts.machine = to_view(abi.machine);
  facts.program = to_view(abi.program);
  facts.version = to_view(abi.version);
  facts.build = to_view(abi.build);
  facts.places = places_of(abi);
  facts.level = abi.level;
  facts.steps = abi.step_count;
  facts.threads = abi.thread_count;
  facts.lost_records = lost_records(*abi.quality);
  return facts;
}

}  // namespace loci::profiler
