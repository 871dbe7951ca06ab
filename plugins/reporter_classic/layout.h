// How the classic report writes its parts. Widths count bytes, as iostreams do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/reporter_classic/row_table.h"

namespace loci::classic {

inline constexpr std::size_t kDataWidth = 12;

inline double to_ms(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
// 0 for a part of nothing.
inline double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
// The share of the whole report, in single precision as the model: the sixth digit goes by that.
inline float share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<float>(ratio(part, whole));
}
// Six significant digits, as an iostream prints a double.
std::string figure(double value);
std::string figure(float value);
// Filled up with spaces on the right.
std::string padded(std::string_view text, std::size_t width);
// A title of 27 characters between dashes, and an empty line.
std::string heading(std::string_view title);

// The lines above the tables: title, note if threads are merged, place, unit, order.
std::string header_text(const Settings& settings, bool is_merged);
// The table of events; tables of several threads go below each other.
std::string events_text(const Paths& paths, const std::vector<RowTable>& tables,
                        const Settings& settings);

// `line` without the spaces at its end.
std::string trimmed(std::string line);

}  // namespace loci::classic
