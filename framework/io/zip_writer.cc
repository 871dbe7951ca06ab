#include "framework/io/zip_writer.h"

#include <minizip/zip.h>

#include <algorithm>
#include <loci/plugin/terminal_text.hpp>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/io/zip_stream.h"

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

class ZipWriter::Output : public ZipStream<Output> {
 public:
  Output(core::AtomicFile& to, std::string name) : path(std::move(name)), file_(to) {}

  [[nodiscard]] std::uint64_t end() const { return size_; }
  zlib_filefunc64_def functions() {
    zlib_filefunc64_def functions = ZipStream::functions();
    functions.zread_file = &read;
    functions.zwrite_file = &write;
    return functions;
  }

  const std::string path;

 private:
  static unsigned long read(void* /*opaque*/, void* /*stream*/, void* /*into*/,
                            unsigned long /*bytes*/) {
    return 0;
  }
  static unsigned long write(void* /*opaque*/, void* stream, const void* data,
                             unsigned long bytes) {
    Output& output = of(stream);
    return output.attempt(bytes, [&] { output.put(static_cast<const char*>(data), bytes); });
  }
  void put(const char* data, std::uint64_t bytes) {
    // The library goes back to fill in what a member's header could not say yet.
    const std::uint64_t over = std::min<std::uint64_t>(bytes, size_ - position());
    file_.write_at(position(), data, over);
    file_.write(data + over, bytes - over);
    size_ = std::max(size_, position() + bytes);
  }

  core::AtomicFile& file_;
  std::uint64_t size_ = 0;
};

struct ZipWriter::Archive {
  Archive(core::AtomicFile& file, const std::string& path) : output(file, path) {
    zlib_filefunc64_def functions = output.functions();
    handle.reset(zipOpen2_64(path.c_str(), APPEND_STATUS_CREATE, nullptr, &functions));
    require(handle == nullptr ? ZIP_INTERNALERROR : ZIP_OK);
  }

  void require(int code) {
    output.raise_if_failed();
    if (code == ZIP_OK) return;
    core::raise_file_error(ErrorCode::kFailed, output.path, "zip", "the archive cannot be written");
  }

  Output output;
  struct Close {
    void operator()(zipFile opened) const { zipClose(opened, nullptr); }
  };
  std::unique_ptr<void, Close> handle;  // closed before its output ends
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
      archive_->handle.get(), name.c_str(), &info, /*extrafield_local=*/nullptr, 0,
      /*extrafield_global=*/nullptr, 0, /*comment=*/nullptr, /*method=*/0, /*level=*/0, /*raw=*/0,
      -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, /*password=*/nullptr, /*crcForCrypting=*/0,
      kMadeByUnix, kNamesAreUtf8, /*zip64=*/bytes >= kFirstOfZip64 ? 1 : 0));
  has_member_ = true;
}

void ZipWriter::write(const void* data, std::uint64_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, kLargestWrite);
    archive_->require(zipWriteInFileInZip(archive_->handle.get(), at, static_cast<unsigned>(part)));
    at += part;
    bytes -= part;
  }
}

void ZipWriter::end_member() {
  if (!std::exchange(has_member_, false)) return;
  archive_->require(zipCloseFileInZip(archive_->handle.get()));
}

void ZipWriter::finish() {
  end_member();
  archive_->require(zipClose(archive_->handle.release(), nullptr));
}

}  // namespace io
}  // namespace v0
}  // namespace loci
