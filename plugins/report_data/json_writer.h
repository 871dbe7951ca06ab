// JSON, written piece by piece: nothing is held but the text that is not yet handed on.
//
//   JsonWriter json([&](std::string_view text) { output.write(text); });
//   json.begin_object().member("calls", calls).key("names").begin_array();
//   json.value("mul").end_array().end_object();
//   json.finish();
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace loci::report {

// Appends the text as a JSON string, quotes included, in ASCII: it fits every encoding and any
// place within an HTML script element. What is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// The caller's calls have to make up one JSON value; this is not checked.
class JsonWriter {
 public:
  // Gets the text in pieces of some KiB. What it throws comes out of the function that wrote.
  using Sink = std::function<void(std::string_view text)>;
  explicit JsonWriter(Sink sink);

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(loci_str text);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(std::uint32_t number) { return value(std::uint64_t{number}); }
  JsonWriter& value(double number);  // null where it is no finite number
  JsonWriter& value(bool truth);
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // Hands on what is left. To be called last.
  void finish();

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  JsonWriter& ended();  // a value

  Sink sink_;
  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace loci::report
