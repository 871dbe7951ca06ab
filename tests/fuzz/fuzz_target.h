// Fuzz targets have this in common: one input in, nothing out, and a violated demand ends the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <loci/error.hpp>
#include <string>
#include <string_view>
#include <vector>

// Defined by each target; called by libFuzzer, or by replay.cc in builds without it. The input is
// not trusted. Returns 0, as libFuzzer asks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace loci::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Prints `what` and ends the process: a find.
[[noreturn]] void fail(std::string_view what);
inline void demand(bool holds, std::string_view what) {
  if (!holds) fail(what);
}

// How a reader is called on a hostile input: a file, or a text of the user's.
struct Reading {
  std::size_t bytes;  // of the input
  std::string named;  // what each message of an error has to name, such as the file
  // Errors may have these codes: of a file, that it is damaged or of another version.
  std::vector<ErrorCode> codes = {ErrorCode::kDataLoss, ErrorCode::kIncompatible};
  // The bytes that it may hold at once, whatever the size of the input: messages, tables of the
  // parsers, the caches of the first call.
  std::size_t fixed_bytes = std::size_t{1} << 20;
};

// Runs `read`, and says whether it accepted the input. A find, unless it returns or throws
// loci::Error of one of the codes with a whole message of one line that begins with '[' and has
// `named`, and unless the memory that it holds at once stays below a small multiple of the input's
// size.
bool accepts(const Reading& reading, const std::function<void()>& read);
// Checks alike what counts as no input of its own, such as one that was accepted, read otherwise.
bool accepts_too(const Reading& reading, const std::function<void()>& read);

// How many inputs accepts() has accepted in this process.
std::size_t accepted_count();

}  // namespace loci::fuzz
