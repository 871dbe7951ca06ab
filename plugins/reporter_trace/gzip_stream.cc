#include "plugins/reporter_trace/gzip_stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace loci::report {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header
constexpr int kMemoryLevel = 8;
constexpr std::size_t kGzipPiece = std::size_t{64} << 10;

}  // namespace

struct GzipStream::State {
  Sink sink;
  z_stream stream{};
  std::array<unsigned char, kGzipPiece> out{};

  void run(std::string_view text, int flush) {
    // zlib does not write to its input, which is const only where ZLIB_CONST is defined.
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = static_cast<unsigned>(out.size());
      deflate(&stream, flush);
      const std::size_t size = out.size() - stream.avail_out;
      if (size != 0) sink({reinterpret_cast<const char*>(out.data()), size});
    } while (stream.avail_out == 0);
  }
};

GzipStream::GzipStream(Sink sink) : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  const int status = deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow,
                                  kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (status != Z_OK) throw std::bad_alloc();
}

GzipStream::~GzipStream() { deflateEnd(&state_->stream); }

void GzipStream::write(std::string_view text) {
  // In pieces whose size fits zlib's counter.
  for (; !text.empty(); text.remove_prefix(std::min(kGzipPiece, text.size()))) {
    state_->run(text.substr(0, kGzipPiece), Z_NO_FLUSH);
  }
}

void GzipStream::finish() { state_->run({}, Z_FINISH); }

}  // namespace loci::report
