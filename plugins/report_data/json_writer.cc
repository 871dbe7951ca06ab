#include "plugins/report_data/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace loci::report {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  using nlohmann::json;
  const std::string escaped =
      json(text).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  for (const char c : escaped) {
    // So that no "</script>" or "<!--" comes to be.
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

JsonWriter::JsonWriter(Sink sink) : sink_(std::move(sink)) {}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(text_, name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(text_, text);
  return ended();
}

JsonWriter& JsonWriter::value(loci_str text) {
  return value(text.size == 0 ? std::string_view() : std::string_view(text.data, text.size));
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
  return ended();
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  if (std::isfinite(number)) {
    fmt::format_to(std::back_inserter(text_), "{}", number);
  } else {
    text_ += "null";
  }
  return ended();
}

JsonWriter& JsonWriter::value(bool truth) { return raw(truth ? "true" : "false"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return ended();
}

void JsonWriter::finish() {
  if (!text_.empty()) sink_(text_);
  text_.clear();
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  return ended();
}

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
}

JsonWriter& JsonWriter::ended() {
  needs_comma_ = true;
  if (text_.size() >= kPiece) finish();
  return *this;
}

}  // namespace loci::report
