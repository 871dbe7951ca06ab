#include "tests/fuzz/fuzz_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/fuzz/memory_meter.h"

namespace loci::fuzz {
namespace {

// A JSON value of two bytes, as in "[1,1]", takes 16 bytes, and 48 while its array grows; an empty
// array of three bytes takes 24 more.
constexpr std::size_t kMostBytesPerByte = 64;
// A longer message is cut, and its end is the remedy.
constexpr std::size_t kLongestMessage = 2048;

std::size_t accepted = 0;

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void check_error(const Error& error, const Reading& reading) {
  const std::string_view what = error.what();
  const bool is_of_the_input =
      std::count(reading.codes.begin(), reading.codes.end(), error.code()) > 0;
  if (is_of_the_input && what.substr(0, 1) == "[" && is_one_line(what) &&
      what.size() <= kLongestMessage && what.find(reading.named) != std::string_view::npos) {
    return;
  }
  fail(fmt::format("refused with the code {} and the message: {}", error_code_name(error.code()),
                   what));
}

bool returns(const Reading& reading, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    check_error(error, reading);
  } catch (const std::exception& error) {
    fail(fmt::format("throws an exception that is no loci::Error: {}", error.what()));
  }
  return false;
}

}  // namespace

void fail(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

bool accepts_too(const Reading& reading, const std::function<void()>& read) {
  const MemoryMeter meter;
  const bool returned = returns(reading, read);
  const std::size_t most = reading.fixed_bytes + kMostBytesPerByte * reading.bytes;
  if (meter.peak() > most) {
    fail(fmt::format("held {} bytes at once for an input of {}; at most {} are allowed",
                     meter.peak(), reading.bytes, most));
  }
  return returned;
}

bool accepts(const Reading& reading, const std::function<void()>& read) {
  const bool returned = accepts_too(reading, read);
  accepted += returned ? 1 : 0;
  return returned;
}

std::size_t accepted_count() { return accepted; }

}  // namespace loci::fuzz
