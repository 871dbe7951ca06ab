#include "framework/profiler/stat_names.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace loci::profiler {
namespace {

struct Names {
  std::mutex mutex;
  std::deque<std::string> names;  // whose addresses stay
  std::unordered_map<std::string_view, StatId> index;
};

// Never destroyed: threads may outlive main().
Names& names() {
  static Names& all = *new Names;
  return all;
}

}  // namespace

StatId stat_id(std::string_view name) {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  const auto found = all.index.find(name);
  if (found != all.index.end()) return found->second;
  const auto id = static_cast<StatId>(all.names.size());
  all.index.emplace(all.names.emplace_back(name), id);
  return id;
}

const std::string& stat_name(StatId id) {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  return all.names[id];
}

}  // namespace loci::profiler
