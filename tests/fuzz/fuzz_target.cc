#include "tests/fuzz/fuzz_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <loci/error.hpp>

#include "tests/fuzz/memory_meter.h"

namespace loci::fuzz {
namespace {

// A JSON value of two bytes, as in "[1,1]", takes 16 bytes, and 48 while its array grows; an empty
// array of three bytes takes 24 more.
constexpr std::size_t kMostBytesPerByte = 64;
// Messages, tables of the parsers, the caches of the first call.
constexpr std::size_t kFixedBytes = std::size_t{1} << 20;

std::size_t accepted = 0;

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void check_error(const Error& error, const std::string& named) {
  const std::string_view what = error.what();
  const bool is_about_the_file =
      error.code() == ErrorCode::kDataLoss || error.code() == ErrorCode::kIncompatible;
  if (is_about_the_file && what.substr(0, 1) == "[" && is_one_line(what) &&
      what.find(named) != std::string_view::npos) {
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
    check_error(error, reading.named);
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

bool accepts(const Reading& reading, const std::function<void()>& read) {
  const MemoryMeter meter;
  const bool returned = returns(reading, read);
  const std::size_t most = kFixedBytes + kMostBytesPerByte * reading.bytes;
  if (meter.peak() > most) {
    fail(fmt::format("held {} bytes at once for a file of {}; at most {} are allowed", meter.peak(),
                     reading.bytes, most));
  }
  accepted += returned ? 1 : 0;
  return returned;
}

std::size_t accepted_count() { return accepted; }

}  // namespace loci::fuzz
