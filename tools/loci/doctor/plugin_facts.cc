#include "tools/loci/doctor/plugin_facts.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>

#include <array>

#include "tools/loci/doctor/library_package.h"
#include "tools/loci/doctor/missing_libraries.h"

namespace loci::runner {
namespace {

std::string user_name(uid_t user) {
  std::array<char, 16384> buffer{};
  passwd record{};
  passwd* found = nullptr;
  const int error = ::getpwuid_r(user, &record, buffer.data(), buffer.size(), &found);
  return error == 0 && found != nullptr ? found->pw_name : std::to_string(user);
}

}  // namespace

PluginFacts look_up(const plugins::Candidate& candidate) {
  PluginFacts facts;
  struct stat status {};
  if (::stat(candidate.path.c_str(), &status) == 0) {
    facts.mode = fmt::format("{:04o}", status.st_mode & 07777U);
    facts.owner = user_name(status.st_uid);
  }
  // One that could not be read is none whose needs anybody knows.
  const bool is_plugin = candidate.stage >= plugins::Stage::kManifestOk;
  if (candidate.failed && is_plugin) facts.missing_libraries = missing_libraries(candidate.path);
  return facts;
}

std::string full_remedy(const plugins::Candidate& candidate, const PluginFacts& facts) {
  std::string remedy = candidate.remedy;
  for (const std::string& soname : facts.missing_libraries) {
    remedy += fmt::format("; {}", package_hint(soname));
  }
  return remedy;
}

nlohmann::ordered_json missing_json(const PluginFacts& facts) {
  auto list = nlohmann::ordered_json::array();
  for (const std::string& soname : facts.missing_libraries) {
    list.push_back({{"soname", soname}, {"package", package_of(soname)}});
  }
  return list;
}

}  // namespace loci::runner
