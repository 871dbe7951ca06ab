#include "plugins/reporter_trace/gzip_stream.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/plugins/reporter_html/sample_profile.h"
#include "tests/plugins/reporter_trace/trace_json.h"

namespace loci::testing {
namespace {

// Returns what gunzip makes of it; empty if it is not one whole member.
std::string unpacked(const std::string& packed) {
  z_stream stream{};
  std::string text(std::size_t{64} << 20, '\0');
  std::string input = packed;
  stream.next_in = reinterpret_cast<unsigned char*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = reinterpret_cast<unsigned char*>(text.data());
  stream.avail_out = static_cast<unsigned>(text.size());
  inflateInit2(&stream, 15 + 16);
  const int status = inflate(&stream, Z_FINISH);
  text.resize(status == Z_STREAM_END && stream.avail_in == 0 ? stream.total_out : 0);
  inflateEnd(&stream);
  return text;
}

TEST(GzipStreamTest, WhatGoesInComesOutAgain) {
  std::string packed;
  report::GzipStream gzip([&](std::string_view bytes) { packed += bytes; });
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10'007);
  gzip.write("begin ");
  gzip.write(text);
  gzip.write("");
  gzip.finish();
  EXPECT_LT(packed.size(), text.size());
  EXPECT_EQ(unpacked(packed), "begin " + text);
}

TEST(GzipStreamTest, TraceIsTheSameCompressed) {
  const profiler::Profile profile = sample_profile(2000);
  const std::string plain = trace_text(profile.recording());
  const std::string packed = trace_text(profile.recording(), {{"gzip", "on"}});
  EXPECT_LT(packed.size(), plain.size() / 5);
  EXPECT_EQ(unpacked(packed), plain);
}

}  // namespace
}  // namespace loci::testing
