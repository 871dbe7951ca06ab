// The table says what the plugin's interned layouts stand for.
#pragma once

#include <cstdint>
#include <loci/plugin/host.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace loci::cpu {

// Layouts of one kind by their ids. Thread-safe.
template <class Layout>
class LayoutTable {
 public:
  // Never destroyed: programs may run until the process ends.
  static LayoutTable& instance() {
    static LayoutTable& table = *new LayoutTable;
    return table;
  }

  // `text` says all that `layout` does.
  std::uint32_t intern(const sdk::Host& host, const std::string& text, std::uint64_t bytes,
                       const Layout& layout) {
    const std::uint32_t id = host.intern_layout(text, bytes);
    const std::lock_guard lock(mutex_);
    layouts_.try_emplace(id, layout);
    return id;
  }
  // Nothing for an id of another kind.
  [[nodiscard]] std::optional<Layout> find(std::uint32_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = layouts_.find(id);
    return found == layouts_.end() ? std::nullopt : std::optional<Layout>(found->second);
  }

 private:
  LayoutTable() = default;

  mutable std::mutex mutex_;
  std::map<std::uint32_t, Layout> layouts_;
};

}  // namespace loci::cpu
