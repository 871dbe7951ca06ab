// A table of aligned columns, two spaces between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loci::report_text {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kRight;
  std::size_t width = 0;  // at least
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);

  // One cell for each column; a row that is too short ends with empty ones.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // The titles, unless all are empty, and the rows. No line ends with a space.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  void append_line(std::string& text, const std::vector<std::string>& cells,
                   std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace loci::report_text
