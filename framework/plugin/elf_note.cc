#include "framework/plugin/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <loci/abi/manifest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/plugin/load_error.h"

namespace loci::plugin {
namespace {

constexpr std::uint64_t kMaxNoteBytes = 4 * kMaxManifestBytes;
constexpr std::uint32_t kMaxSegments = 1024;

// A note's name has its NUL in the file, too.
struct NoteKind {
  std::string_view name;
  std::uint32_t type;
};
constexpr NoteKind kManifestNote{{LOCI_MANIFEST_NOTE_NAME, sizeof LOCI_MANIFEST_NOTE_NAME},
                                 LOCI_MANIFEST_NOTE_TYPE};
constexpr NoteKind kBuildIdNote{{ELF_NOTE_GNU, sizeof ELF_NOTE_GNU}, NT_GNU_BUILD_ID};

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kMachine = EM_RISCV;
#else
#error "The ELF machine of this processor is not known here."
#endif

[[noreturn]] void refuse_damaged(const std::string& what) {
  throw LoadError(ErrorCode::kDataLoss, "the file is damaged or cut short: " + what,
                  "copy or build it again");
}

// Closes what it is given.
class Opened {
 public:
  explicit Opened(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) refuse_to_open(errno);
  }
  ~Opened() { ::close(descriptor_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] static void refuse_to_open(int error) {
    const std::string cause = fmt::format("it cannot be opened: {}", std::strerror(error));
    if (error == ENOENT) {
      throw LoadError(ErrorCode::kNotFound, cause, "give the path of a shared library");
    }
    throw LoadError(ErrorCode::kPermissionDenied, cause, "make it readable for this user");
  }

  int descriptor_;
};

// Reads and does not map: another process may cut the file short at any time.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      throw LoadError(ErrorCode::kInvalidArgument, "it is not a regular file",
                      "give the path of a shared library");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  void require(std::uint64_t offset, std::uint64_t bytes, std::string_view what) const {
    if (offset <= size_ && bytes <= size_ - offset) return;
    refuse_damaged(
        fmt::format("{} is at {} with {} bytes, and the file has {}", what, offset, bytes, size_));
  }

  void read(std::uint64_t offset, void* target, std::uint64_t bytes, std::string_view what) const {
    require(offset, bytes, what);
    std::uint64_t done = 0;
    while (done < bytes) {
      const ssize_t got = ::pread(descriptor_, static_cast<char*>(target) + done, bytes - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) refuse_damaged(fmt::format("{} cannot be read", what));
      done += static_cast<std::uint64_t>(got);
    }
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

Elf64_Ehdr read_header(const File& file) {
  unsigned char magic[SELFMAG] = {};
  if (file.size() >= SELFMAG) file.read(0, magic, SELFMAG, "the magic number");
  if (std::memcmp(magic, ELFMAG, SELFMAG) != 0) {
    throw LoadError(ErrorCode::kDataLoss, "it is not an ELF file",
                    "give the path of a shared library");
  }
  Elf64_Ehdr header;
  file.read(0, &header, sizeof header, "the ELF header");
  constexpr unsigned char kData =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != kData ||
      header.e_machine != kMachine) {
    throw LoadError(ErrorCode::kIncompatible,
                    fmt::format("it is built for another kind of machine (ELF class {}, data {}, "
                                "machine {}; this process is {}, {}, {})",
                                header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine,
                                ELFCLASS64, kData, kMachine),
                    "build or install the plugin for this machine");
  }
  if (header.e_type != ET_DYN) {
    throw LoadError(ErrorCode::kDataLoss, "it is an ELF file, but not a shared library",
                    "give the path of a shared library");
  }
  return header;
}

std::vector<Elf64_Phdr> read_segments(const File& file, const Elf64_Ehdr& header) {
  if (header.e_phnum == 0 || header.e_phnum > kMaxSegments ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    refuse_damaged(
        fmt::format("{} program headers of {} bytes", header.e_phnum, header.e_phentsize));
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr),
            "the program headers");
  return segments;
}

void require_complete(const File& file, const Elf64_Ehdr& header,
                      const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    file.require(segment.p_offset, segment.p_filesz, "a segment");
    if (segment.p_filesz > segment.p_memsz) {
      refuse_damaged(fmt::format("a segment has {} bytes in the file and {} in memory",
                                 segment.p_filesz, segment.p_memsz));
    }
  }
  // The section headers come last in a file, so their absence shows that an end is missing.
  if (header.e_shoff != 0) {
    file.require(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize,
                 "the section headers");
  }
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::optional<std::string> find_note(std::string_view notes, std::uint64_t alignment,
                                     const NoteKind& kind) {
  // Sizes in a note have 32 bits, so that no sum of them overflows here.
  std::uint64_t offset = 0;
  while (offset < notes.size() && notes.size() - offset >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + offset, sizeof note);
    const std::uint64_t name = offset + sizeof note;
    const std::uint64_t text = offset + round_up(sizeof note + note.n_namesz, alignment);
    if (text > notes.size() || note.n_descsz > notes.size() - text) {
      refuse_damaged(fmt::format("a note of {} + {} bytes in a segment of {}", note.n_namesz,
                                 note.n_descsz, notes.size()));
    }
    if (note.n_type == kind.type && notes.substr(name, note.n_namesz) == kind.name) {
      return std::string(notes.substr(text, note.n_descsz));
    }
    offset = round_up(text + note.n_descsz, alignment);
  }
  return std::nullopt;
}

std::optional<std::string> read_note(const File& file, const Elf64_Phdr& segment,
                                     const NoteKind& kind) {
  if (segment.p_filesz > kMaxNoteBytes) {
    refuse_damaged(fmt::format("a note segment of {} bytes; at most {} are read", segment.p_filesz,
                               kMaxNoteBytes));
  }
  std::string notes(segment.p_filesz, '\0');
  file.read(segment.p_offset, notes.data(), notes.size(), "a note segment");
  return find_note(notes, segment.p_align == 8 ? 8 : 4, kind);
}

std::optional<std::string> read_note(int descriptor, const NoteKind& kind) {
  const File file(descriptor);
  const Elf64_Ehdr header = read_header(file);
  const std::vector<Elf64_Phdr> segments = read_segments(file, header);
  require_complete(file, header, segments);
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    std::optional<std::string> text = read_note(file, segment, kind);
    if (text) return text;
  }
  return std::nullopt;
}

}  // namespace

std::string read_manifest_note(const std::string& path) {
  return read_manifest_note(Opened(path).descriptor());
}

std::string read_manifest_note(int descriptor) {
  std::optional<std::string> text = read_note(descriptor, kManifestNote);
  if (!text) {
    throw LoadError(ErrorCode::kDataLoss, "it has no manifest, so it is not a plugin of Loci",
                    "build it with loci_add_plugin(), or leave it out");
  }
  if (text->size() > kMaxManifestBytes) {
    throw LoadError(ErrorCode::kDataLoss,
                    fmt::format("its manifest has {} bytes; at most {} are allowed", text->size(),
                                kMaxManifestBytes),
                    "shorten the plugin's manifest.json and build it again");
  }
  return *std::move(text);
}

std::string read_build_id(const std::string& path) {
  return read_build_id(Opened(path).descriptor());
}

std::string read_build_id(int descriptor) {
  std::string digits;
  for (const char byte : read_note(descriptor, kBuildIdNote).value_or("")) {
    digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return digits;
}

}  // namespace loci::plugin
