#include "framework/profiler/profile_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/file_error.h"
#include "framework/core/input_file.h"
#include "framework/core/private_file.h"
#include "framework/profiler/byte_archive.h"
#include "framework/profiler/profile_layout.h"
#include "framework/profiler/recording_fields.h"
#include "framework/profiler/soundness.h"

namespace loci::profiler {
namespace {

constexpr std::size_t kSections = kProfileSections.size();

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// One section, by its place in kProfileSections.
template <class Archive>
void section_fields(Archive& archive, Is<Recording> auto& recording, std::size_t section) {
  switch (section) {
    case 0: return session_fields(archive, recording);
    case 1: return archive(recording.labels);
    case 2: return archive(recording.texts);
    case 3: return archive(recording.threads);
    case 4: return archive(recording.devices);
    case 5: return archive(recording.device_spans);
    case 6: return archive(recording.memory_events);
    case 7: return archive(recording.steps);
    default: return archive(recording.quality);
  }
}

using Table = std::array<ProfileSection, kSections>;

std::uint32_t head_checksum(const ProfileFileHeader& header, const Table& table) {
  const std::uint32_t first =
      profile_checksum(bytes_of(header).substr(0, offsetof(ProfileFileHeader, checksum)));
  return profile_checksum(bytes_of(table), first);
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  Recording read() {
    check_format();
    read_table();
    Recording recording;
    std::uint64_t offset = sizeof header_ + sizeof table_;
    for (std::size_t i = 0; i < kSections; ++i) {
      read_section(i, offset, recording);
      offset += table_[i].bytes;
    }
    return recording;
  }

 private:
  // Checks the part of the header that stays as it is in all versions.
  void check_format() {
    read_into(&header_, std::min<std::uint64_t>(file_.size(), sizeof header_), 0, "header");
    const std::string_view magic(header_.magic.data(), header_.magic.size());
    if (magic != kProfileMagic) {
      core::refuse(file_.path(), "header", "is not a profile that Loci wrote; give one of those");
    }
    if (header_.byte_order != kProfileByteOrder) refuse_byte_order();
    if (header_.version != kProfileVersion) {
      core::raise_file_error(ErrorCode::kIncompatible, file_.path(), "version",
                             "{} is not known, this Loci reads {}; read it with the Loci that "
                             "wrote it, or make the profile anew",
                             header_.version, kProfileVersion);
    }
  }

  [[noreturn]] void refuse_byte_order() const {
    constexpr std::uint32_t kOther = 0x04030201;
    if (header_.byte_order == kOther) {
      core::raise_file_error(ErrorCode::kIncompatible, file_.path(), "byte order",
                             "is that of another kind of machine; read it on such a machine");
    }
    core::refuse(file_.path(), "byte order", "{:#010x} is none; the file is damaged",
                 header_.byte_order);
  }

  void read_table() {
    constexpr std::uint64_t kHead = sizeof header_ + sizeof table_;
    if (file_.size() < kHead) {
      core::refuse(file_.path(), "header", "the file has {} bytes, its header {}; it is truncated",
                   file_.size(), kHead);
    }
    if (header_.section_count != kSections) {
      core::refuse(file_.path(), "header", "{} sections, not {}; the file is damaged",
                   header_.section_count, kSections);
    }
    read_into(&table_, sizeof table_, sizeof header_, "table of sections");
    if (header_.checksum != head_checksum(header_, table_)) {
      core::refuse(file_.path(), "header", "its checksum does not fit; the file is damaged");
    }
    check_sizes(kHead);
  }

  void check_sizes(std::uint64_t head) const {
    if (header_.file_bytes != file_.size()) {
      core::refuse(file_.path(), "size", "{} bytes, but {} were written; the file is {}",
                   file_.size(), header_.file_bytes,
                   file_.size() < header_.file_bytes ? "truncated" : "damaged");
    }
    std::uint64_t left = file_.size() - head;
    for (std::size_t i = 0; i < kSections; ++i) {
      if (table_[i].id != i) {
        core::refuse(file_.path(), "table of sections",
                     "section {} at place {}; the file is damaged", table_[i].id, i);
      }
      if (table_[i].bytes > left) {
        core::refuse(file_.path(), kProfileSections[i],
                     "{} bytes, but {} are left; the file is damaged", table_[i].bytes, left);
      }
      left -= table_[i].bytes;
    }
    if (left != 0) {
      core::refuse(file_.path(), "size", "{} bytes belong to no section; the file is damaged",
                   left);
    }
  }

  void read_section(std::size_t index, std::uint64_t offset, Recording& recording) {
    const std::string name(kProfileSections[index]);
    const std::string bytes = file_.read_text(offset, table_[index].bytes, name.c_str());
    if (profile_checksum(bytes) != table_[index].checksum) {
      core::refuse(file_.path(), name, "its checksum does not fit; the file is damaged");
    }
    ByteReader reader(file_.path(), name, bytes);
    section_fields(reader, recording, index);
    reader.expect_end();
  }

  void read_into(void* into, std::uint64_t bytes, std::uint64_t offset, const char* field) const {
    file_.read(offset, into, bytes, field);
  }

  const core::InputFile file_;
  ProfileFileHeader header_;
  Table table_;
};

// The content of a file to be.
class FileImage {
 public:
  explicit FileImage(const Recording& recording) : sections_(kSections) {
    std::copy(kProfileMagic.begin(), kProfileMagic.end(), header_.magic.begin());
    header_.section_count = kSections;
    header_.file_bytes = sizeof header_ + sizeof table_;
    for (std::size_t i = 0; i < kSections; ++i) {
      section_fields(sections_[i], recording, i);
      const std::string& bytes = sections_[i].bytes();
      table_[i] = {static_cast<std::uint32_t>(i), profile_checksum(bytes), bytes.size()};
      header_.file_bytes += bytes.size();
    }
    header_.checksum = head_checksum(header_, table_);
  }

  template <class File>
  void write(File& file) const {
    file.write(&header_, sizeof header_);
    file.write(&table_, sizeof table_);
    for (const ByteWriter& section : sections_) {
      file.write(section.bytes().data(), section.bytes().size());
    }
  }

 private:
  ProfileFileHeader header_;
  Table table_;
  std::vector<ByteWriter> sections_;
};

}  // namespace

void write_profile(const Recording& recording, const std::string& path) {
  const FileImage image(recording);
  core::AtomicFile file(path);
  image.write(file);
  file.commit();
}

std::string rescue_profile(const Recording& recording) {
  const FileImage image(recording);
  core::PrivateFile file("loci-", ".profile");
  image.write(file);
  file.keep();
  return file.path();
}

Recording read_profile(const std::string& path) {
  Recording recording = Reader(path).read();
  try {
    check_sound(recording);
  } catch (const Error& error) {
    core::refuse(path, "content", "{}", error.what());
  }
  return recording;
}

}  // namespace loci::profiler
