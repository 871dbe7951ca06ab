// Comma-separated values as in RFC 4180, but for the line ends, which are LF.
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace loci::report {

class CsvTable {
 public:
  using Sink = std::function<void(std::string_view text)>;
  CsvTable(Sink sink, std::initializer_list<std::string_view> columns);

  // The cells of a row, from left to right, and its end.
  CsvTable& cell(std::string_view text);
  CsvTable& cell(loci_str text);
  CsvTable& cell(std::uint64_t number);
  CsvTable& cell(double number);
  void end_row();

  // A line that begins with "# ", for readers who skip comments.
  void comment(std::string_view text);
  // Hands on what is left. To be called last.
  void finish();

 private:
  void separate();

  Sink sink_;
  std::string text_;
  bool row_begun_ = false;
};

}  // namespace loci::report
