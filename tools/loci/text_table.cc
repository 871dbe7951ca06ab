#include "tools/loci/text_table.h"

#include <algorithm>
#include <utility>

namespace loci::runner {
namespace {

// Columns on a terminal: the bytes of UTF-8 that begin a character.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> head) { lines_.push_back({std::move(head), {}}); }

void TextTable::add(std::vector<std::string> cells) { lines_.push_back({std::move(cells), {}}); }

void TextTable::add_note(const std::string& note) { lines_.push_back({{}, "    " + note}); }

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths(lines_.front().cells.size());
  for (const Line& line : lines_) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], width(line.cells[i]));
    }
  }
  std::string text;
  for (const Line& line : lines_) {
    std::string row = line.note;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      row += line.cells[i] + std::string(widths[i] - width(line.cells[i]) + 2, ' ');
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace loci::runner
