// The tables of an interface, as adapters take them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "framework/plugin/instance.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/negotiation.h"

namespace loci::plugin {

// An interface in the newest minor that this host speaks.
struct Interface {
  std::string_view name;
  std::uint32_t minor;
};

// The plugin's table in this host's size; none if it has none that old. Throws LoadError.
template <class Table>
std::optional<Table> find_table(Instance& instance, const Interface& interface) {
  const void* table = instance.interface(interface.name, interface.minor);
  if (table == nullptr) return std::nullopt;
  return copy_table<Table>(table, interface.name);
}

// Returns the plugin's table like find_table(), or throws LoadError: "`claim` <name>".
template <class Table>
Table require_table(Instance& instance, const Interface& interface, std::string_view claim) {
  const std::optional<Table> table = find_table<Table>(instance, interface);
  if (!table) refuse_to_author(fmt::format("{} {}", claim, interface.name));
  return *table;
}

inline void require_member(bool present, const Interface& interface, std::string_view member) {
  if (!present) refuse_to_author(fmt::format("its {} lacks {}", interface.name, member));
}

}  // namespace loci::plugin
