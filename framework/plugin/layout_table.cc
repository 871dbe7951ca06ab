#include "framework/plugin/layout_table.h"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace loci::plugin {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<Layout> layouts;  // id - 1; a deque keeps addresses
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> ids;
};

// Never destroyed: kernels may run until the process ends.
Table& table() {
  static Table& instance = *new Table();
  return instance;
}

}  // namespace

std::uint32_t intern_layout(std::string_view plugin, std::string_view text, std::uint64_t bytes) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto [entry, added] = all.ids.try_emplace({std::string(plugin), std::string(text), bytes});
  if (added) {
    all.layouts.push_back({std::string(plugin), std::string(text), bytes});
    entry->second = static_cast<std::uint32_t>(all.layouts.size());
  }
  return entry->second;
}

const Layout* find_layout(std::uint32_t id) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return id == 0 || id > all.layouts.size() ? nullptr : &all.layouts[id - 1];
}

}  // namespace loci::plugin
