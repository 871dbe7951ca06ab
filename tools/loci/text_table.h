// Columns of text.
#pragma once

#include <string>
#include <vector>

namespace loci::runner {

// Rows under a head; every column is as wide as its widest cell, with two blanks between.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head);

  // Adds a row, of as many cells as the head has.
  void add(std::vector<std::string> cells);
  // A line of its own below the last row, indented.
  void add_note(const std::string& note);

  // Ends with a newline; no line ends with a blank.
  [[nodiscard]] std::string to_string() const;

 private:
  struct Line {
    std::vector<std::string> cells;  // none: the note
    std::string note;
  };

  std::vector<Line> lines_;
};

}  // namespace loci::runner
