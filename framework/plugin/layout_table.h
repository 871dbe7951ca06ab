// Opaque layouts by id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::plugin {

struct Layout {
  std::string plugin;  // the id of the one that interned it, and alone understands it
  std::string text;
  std::uint64_t bytes = 0;
};

// The id of that layout in this process: the same for the same three values, never
// LOCI_LAYOUT_PLAIN or LOCI_LAYOUT_ANY. Thread-safe.
std::uint32_t intern_layout(std::string_view plugin, std::string_view text, std::uint64_t bytes);

// NULL for an id that was never given. Valid for the life of the process. Thread-safe.
const Layout* find_layout(std::uint32_t id);

}  // namespace loci::plugin
