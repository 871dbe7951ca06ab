#include "plugins/report_text/text_table.h"

#include <algorithm>
#include <utility>

#include "plugins/report_text/printable.h"

namespace loci::report_text {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.width = std::max(column.width, shown_width(column.title));
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, shown_width(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t indent) const {
  std::string text;
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) append_line(text, titles, indent);
  for (const std::vector<std::string>& row : rows_) append_line(text, row, indent);
  return text;
}

void TextTable::append_line(std::string& text, const std::vector<std::string>& cells,
                            std::size_t indent) const {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string space(columns_[i].width - shown_width(cells[i]), ' ');
    if (i > 0) line.append(kGap, ' ');
    line += columns_[i].align == Align::kLeft ? cells[i] + space : space + cells[i];
  }
  line.resize(line.find_last_not_of(' ') + 1);
  text += line;
  text += '\n';
}

}  // namespace loci::report_text
