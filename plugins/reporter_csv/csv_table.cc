#include "plugins/reporter_csv/csv_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <utility>

namespace loci::report {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

// A text that begins with '#' is quoted too: it is no comment.
bool needs_quotes(std::string_view text) {
  return text.find_first_of(",\"\r\n") != std::string_view::npos ||
         (!text.empty() && text.front() == '#');
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

CsvTable::CsvTable(Sink sink, std::initializer_list<std::string_view> columns)
    : sink_(std::move(sink)) {
  for (const std::string_view column : columns) cell(column);
  end_row();
}

CsvTable& CsvTable::cell(std::string_view text) {
  separate();
  if (needs_quotes(text)) {
    append_quoted(text_, text);
  } else {
    text_ += text;
  }
  return *this;
}

CsvTable& CsvTable::cell(loci_str text) {
  return cell(text.size == 0 ? std::string_view() : std::string_view(text.data, text.size));
}

CsvTable& CsvTable::cell(std::uint64_t number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
  return *this;
}

CsvTable& CsvTable::cell(double number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{:.6g}", number);
  return *this;
}

void CsvTable::end_row() {
  text_ += '\n';
  row_begun_ = false;
  if (text_.size() >= kPiece) finish();
}

void CsvTable::comment(std::string_view text) {
  text_ += "# ";
  for (const char c : text) text_ += c == '\n' || c == '\r' ? ' ' : c;
  end_row();
}

void CsvTable::finish() {
  if (!text_.empty()) sink_(text_);
  text_.clear();
}

void CsvTable::separate() {
  if (row_begun_) text_ += ',';
  row_begun_ = true;
}

}  // namespace loci::report
