// The part that reading and writing zip archives have in common: a file as minizip asks for it.
#pragma once

#include <minizip/ioapi.h>

#include <cstdint>
#include <exception>
#include <utility>

namespace loci {
inline namespace v0 {
namespace io {

// A base of `File`, which has end(), where its bytes end. Exceptions wait here, since they must not
// pass through C.
template <class File>
class ZipStream {
 public:
  // Throws what the file threw, which goes before what the library makes of it.
  void raise_if_failed() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 protected:
  // Without functions to read and to write.
  zlib_filefunc64_def functions() {
    zlib_filefunc64_def functions{};
    functions.zopen64_file = &open;
    functions.ztell64_file = &tell;
    functions.zseek64_file = &seek;
    functions.zclose_file = &close;
    functions.zerror_file = &has_failed;
    functions.opaque = static_cast<File*>(this);
    return functions;
  }
  static File& of(void* stream) { return *static_cast<File*>(stream); }

  // Transfers bytes, and goes on behind them. Returns how many: none where it threw.
  template <class Transfer>
  unsigned long attempt(unsigned long bytes, const Transfer& transfer) noexcept {
    if (error_) return 0;
    try {
      transfer();
    } catch (...) {
      error_ = std::current_exception();
      return 0;
    }
    position_ += bytes;
    return bytes;
  }
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  static void* open(void* opaque, const void* /*name*/, int /*mode*/) { return opaque; }
  static int close(void* /*opaque*/, void* /*stream*/) { return 0; }
  static int has_failed(void* /*opaque*/, void* stream) { return of(stream).error_ ? 1 : 0; }
  static ZPOS64_T tell(void* /*opaque*/, void* stream) { return of(stream).position_; }
  static long seek(void* /*opaque*/, void* stream, ZPOS64_T offset, int origin) {
    File& file = of(stream);
    const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? file.position_
                               : origin == ZLIB_FILEFUNC_SEEK_END ? file.end()
                                                                  : 0;
    const std::uint64_t target = base + offset;  // wraps for what lies before
    if (target > file.end()) return -1;
    file.position_ = target;
    return 0;
  }

  std::uint64_t position_ = 0;
  std::exception_ptr error_;
};

}  // namespace io
}  // namespace v0
}  // namespace loci
