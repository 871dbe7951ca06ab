#include "framework/io/zip_writer.h"

#include <minizip/zip.h>

#include <algorithm>
#include <exception>
#include <loci/plugin/terminal_text.hpp>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/core/quote.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

constexpr std::uint64_t kLargestWrite = std::uint64_t{1} << 30;
constexpr std::uint64_t kFirstOfZip64 = 0xFFFFFFFF;
constexpr std::size_t kLongestName = 0xFFFF;
constexpr unsigned long kFirstDate = 0x210000;  // 1980-01-01, which stands for none
constexpr unsigned long kNamesAreUtf8 = 1UL << 11U;
constexpr unsigned long kMadeByUnix = (3UL << 8U) | 20U;
constexpr unsigned long kReadableFile = 0100644UL << 16U;  // mode, for programs that unpack it

void check_name(const std::string& path, const std::string& name) {
  const bool has_zero = name.find('\0') != std::string::npos;
  if (!name.empty() && name.size() <= kLongestName && !has_zero && sdk::is_utf8(name)) return;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "member " + core::quote(name),
                         "a zip archive cannot hold this name of {} bytes; use a shorter one, in "
                         "UTF-8 without zero bytes",
                         name.size());
}

}  // namespace

// The file as the library writes it. Exceptions wait here, since they must not pass through C.
struct ZipWriter::Output {
  Output(core::AtomicFile& to, const std::string& name) : file(to), path(name) {}

  core::AtomicFile& file;
  std::string path;
  std::uint64_t position = 0;
  std::uint64_t size = 0;
  std::exception_ptr error;

  static Output& of(void* stream) { return *static_cast<Output*>(stream); }
  static void* open(void* opaque, const void* /*name*/, int /*mode*/) { return opaque; }
  static int close(void* /*opaque*/, void* /*stream*/) { return 0; }
  static int has_failed(void* /*opaque*/, void* stream) { return of(stream).error ? 1 : 0; }
  static ZPOS64_T tell(void* /*opaque*/, void* stream) { return of(stream).position; }
  static unsigned long read(void* /*opaque*/, void* /*stream*/, void* /*into*/,
                            unsigned long /*bytes*/) {
    return 0;
  }

  void put(const char* data, std::uint64_t bytes) {
    // The library goes back to fill in what a member's header could not say yet.
    const std::uint64_t over = std::min<std::uint64_t>(bytes, size - position);
    file.write_at(position, data, over);
    file.write(data + over, bytes - over);
    position += bytes;
    size = std::max(size, position);
  }
  static unsigned long write(void* /*opaque*/, void* stream, const void* data,
                             unsigned long bytes) {
    Output& output = of(stream);
    if (output.error) return 0;
    try {
      output.put(static_cast<const char*>(data), bytes);
    } catch (...) {
      output.error = std::current_exception();
      return 0;
    }
    return bytes;
  }
  static long seek(void* /*opaque*/, void* stream, ZPOS64_T offset, int origin) {
    Output& output = of(stream);
    const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? output.position
                               : origin == ZLIB_FILEFUNC_SEEK_END ? output.size
                                                                  : 0;
    if (base + offset > output.size) return -1;
    output.position = base + offset;
    return 0;
  }

  zlib_filefunc64_def functions() {
    zlib_filefunc64_def functions{};
    functions.zopen64_file = &open;
    functions.zread_file = &read;
    functions.zwrite_file = &write;
    functions.ztell64_file = &tell;
    functions.zseek64_file = &seek;
    functions.zclose_file = &close;
    functions.zerror_file = &has_failed;
    functions.opaque = this;
    return functions;
  }
};

struct ZipWriter::Archive {
  Archive(core::AtomicFile& file, const std::string& path) : output(file, path) {
    zlib_filefunc64_def functions = output.functions();
    handle = zipOpen2_64(path.c_str(), APPEND_STATUS_CREATE, nullptr, &functions);
    require(handle == nullptr ? ZIP_INTERNALERROR : ZIP_OK);
  }
  ~Archive() {
    if (handle != nullptr) zipClose(handle, nullptr);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // What the file said goes before what the library makes of it.
  void require(int code) {
    if (output.error) std::rethrow_exception(std::exchange(output.error, nullptr));
    if (code == ZIP_OK) return;
    core::raise_file_error(ErrorCode::kFailed, output.path, "zip", "the archive cannot be written");
  }

  Output output;
  zipFile handle = nullptr;
};

ZipWriter::ZipWriter(core::AtomicFile& file, const std::string& path)
    : archive_(std::make_unique<Archive>(file, path)) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::add(const std::string& name, std::uint64_t bytes) {
  check_name(archive_->output.path, name);
  end_member();
  zip_fileinfo info{};
  info.dosDate = kFirstDate;
  info.external_fa = kReadableFile;
  archive_->require(zipOpenNewFileInZip4_64(
      archive_->handle, name.c_str(), &info, /*extrafield_local=*/nullptr, 0,
      /*extrafield_global=*/nullptr, 0, /*comment=*/nullptr, /*method=*/0, /*level=*/0, /*raw=*/0,
      -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, /*password=*/nullptr, /*crcForCrypting=*/0,
      kMadeByUnix, kNamesAreUtf8, /*zip64=*/bytes >= kFirstOfZip64 ? 1 : 0));
  has_member_ = true;
}

void ZipWriter::write(const void* data, std::uint64_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, kLargestWrite);
    archive_->require(zipWriteInFileInZip(archive_->handle, at, static_cast<unsigned>(part)));
    at += part;
    bytes -= part;
  }
}

void ZipWriter::end_member() {
  if (!std::exchange(has_member_, false)) return;
  archive_->require(zipCloseFileInZip(archive_->handle));
}

void ZipWriter::finish() {
  end_member();
  archive_->require(zipClose(std::exchange(archive_->handle, nullptr), nullptr));
}

}  // namespace io
}  // namespace v0
}  // namespace loci
