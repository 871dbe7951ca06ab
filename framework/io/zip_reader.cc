#include "framework/io/zip_reader.h"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <loci/plugin/terminal_text.hpp>
#include <set>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/core/input_file.h"
#include "framework/core/quote.h"
#include "framework/io/zip_stream.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

constexpr unsigned long kEncrypted = 1;
constexpr unsigned long kStored = 0;
// The largest ratio that the format can reach: 258 bytes by two bits.
constexpr std::uint64_t kMostByDeflate = 1032;
constexpr std::uint64_t kEmptyBytes = 22;
// Says that the size stands in a ZIP64 field, which some versions of minizip do not read.
constexpr std::uint64_t kSizeElsewhere = 0xFFFFFFFF;
constexpr std::uint64_t kLargestRead = std::uint64_t{1} << 30;

const char* reason_of(int code) {
  switch (code) {
    case UNZ_CRCERROR: return "its checksum is another; the archive is damaged";
    case Z_DATA_ERROR: return "its deflated bytes are damaged";
    case Z_MEM_ERROR: return "there is no memory to unpack it";
    default: return "the archive is damaged or truncated";
  }
}

}  // namespace

class ZipReader::Input : public ZipStream<Input> {
 public:
  explicit Input(const std::string& path) : file(path) {}

  [[nodiscard]] std::uint64_t end() const { return file.size(); }
  zlib_filefunc64_def functions() {
    zlib_filefunc64_def functions = ZipStream::functions();
    functions.zread_file = &read;
    return functions;
  }

  core::InputFile file;

 private:
  static unsigned long read(void* /*opaque*/, void* stream, void* into, unsigned long bytes) {
    Input& input = of(stream);
    // Also beyond the end, where the library would take missing bytes for zeros.
    return input.attempt(bytes, [&] { input.file.read(input.position(), into, bytes, "zip"); });
  }
};

struct ZipReader::Archive {
  explicit Archive(const std::string& path) : input(path) {
    if (is_empty()) return;
    zlib_filefunc64_def functions = input.functions();
    handle.reset(unzOpen2_64(path.c_str(), &functions));
    if (input.file.size() >= kEmptyBytes) input.raise_if_failed();  // else it is no archive anyway
    if (handle == nullptr) {
      core::refuse(path, "zip", "is no zip archive, or is truncated: its directory is not found");
    }
  }

  // The library does not find the directory of an archive that is nothing else.
  [[nodiscard]] bool is_empty() const {
    if (input.file.size() != kEmptyBytes) return false;
    const std::string whole = input.file.read_text(0, kEmptyBytes, "zip");
    return whole.substr(0, 4) == "PK\5\6" &&
           std::all_of(whole.begin() + 4, whole.end(), [](char byte) { return byte == 0; });
  }

  void require(int code, const std::string& name, const char* field) {
    input.raise_if_failed();
    if (code < 0) core::refuse(name, field, "{}", reason_of(code));
  }

  Input input;
  struct Close {
    void operator()(unzFile opened) const { unzClose(opened); }
  };
  std::unique_ptr<void, Close> handle;  // null for an empty archive; closed before its input ends
};

ZipReader::ZipReader(const std::string& path) : archive_(std::make_unique<Archive>(path)) {
  read_directory();
}

ZipReader::~ZipReader() = default;

const std::string& ZipReader::path() const { return archive_->input.file.path(); }

std::string ZipReader::describe(const ZipMember& member) const {
  return fmt::format("{}: member {}", path(), core::quote(member.name));
}

void ZipReader::read_directory() {
  if (archive_->handle == nullptr) return;
  unz_global_info64 info{};
  archive_->require(unzGetGlobalInfo64(archive_->handle.get(), &info), path(), "directory");
  if (info.number_entry == 0) return;
  std::set<std::string> names;
  std::uint64_t stored = 0;
  int code = unzGoToFirstFile(archive_->handle.get());
  for (; code == UNZ_OK; code = unzGoToNextFile(archive_->handle.get())) {
    ZipMember member = read_entry();
    if (!names.insert(member.name).second) {
      core::refuse(describe(member), "name", "stands twice in the archive");
    }
    // Members may share bytes, by which a small file would unpack to any size.
    stored += member.stored_bytes;
    if (stored > archive_->input.file.size()) {
      core::refuse(describe(member), "size", "the members together are larger than the file");
    }
    members_.push_back(std::move(member));
  }
  if (code != UNZ_END_OF_LIST_OF_FILE) archive_->require(code, path(), "directory");
}

ZipMember ZipReader::read_entry() {
  unz_file_info64 info{};
  const auto ask = [&](char* name, unsigned long bytes) {
    archive_->require(
        unzGetCurrentFileInfo64(archive_->handle.get(), &info, name, bytes, nullptr, 0, nullptr, 0),
        path(), "directory");
  };
  ask(nullptr, 0);
  ZipMember member;
  member.name.resize(info.size_filename);
  if (!member.name.empty()) ask(member.name.data(), info.size_filename);
  member.bytes = info.uncompressed_size;
  member.stored_bytes = info.compressed_size;
  unz64_file_pos position{};
  archive_->require(unzGetFilePos64(archive_->handle.get(), &position), path(), "directory");
  member.directory_offset = position.pos_in_zip_directory;
  member.number = position.num_of_file;
  const std::string name = describe(member);
  if (member.name.empty() || member.name.find('\0') != std::string::npos) {
    core::refuse(name, "name", "is empty or has a zero byte");
  }
  if (!sdk::is_utf8(member.name)) core::refuse(name, "name", "is not UTF-8");
  if ((info.flag & kEncrypted) != 0) {
    core::refuse(name, "encryption", "it is encrypted; save it without");
  }
  if (info.compression_method != kStored && info.compression_method != Z_DEFLATED) {
    core::refuse(name, "compression", "method {} is not known; store or deflate it",
                 info.compression_method);
  }
  if (member.bytes == kSizeElsewhere || member.stored_bytes == kSizeElsewhere) {
    core::refuse(name, "size",
                 "it is 4 GiB or larger, which cannot be read from a zip archive here; save it as "
                 "safetensors, or as an npy file of its own");
  }
  const bool is_stored = info.compression_method == kStored;
  const bool is_possible = is_stored ? member.bytes == member.stored_bytes
                                     : member.bytes / kMostByDeflate <= member.stored_bytes;
  if (!is_possible) {
    core::refuse(name, "size", "{} bytes cannot be in {} bytes that are {}", member.bytes,
                 member.stored_bytes, is_stored ? "stored" : "deflated");
  }
  return member;
}

void ZipReader::open(const ZipMember& member) {
  const unz64_file_pos position{member.directory_offset, member.number};
  const std::string name = describe(member);
  archive_->require(unzGoToFilePos64(archive_->handle.get(), &position), name, "directory");
  archive_->require(unzOpenCurrentFile(archive_->handle.get()), name, "header");
  open_ = &member;
}

void ZipReader::read(void* into, std::uint64_t bytes, const char* field) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const auto most = static_cast<unsigned>(std::min(bytes, kLargestRead));
    const int count = unzReadCurrentFile(archive_->handle.get(), at, most);
    archive_->require(count, describe(*open_), field);
    if (count == 0) {
      core::refuse(describe(*open_), field, "it ends {} bytes early; the archive is damaged",
                   bytes);
    }
    at += count;
    bytes -= static_cast<std::uint64_t>(count);
  }
}

void ZipReader::finish() {
  archive_->require(unzCloseCurrentFile(archive_->handle.get()), describe(*open_), "checksum");
  open_ = nullptr;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
