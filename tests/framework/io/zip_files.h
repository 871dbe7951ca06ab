// Zip archives, sound and otherwise.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loci::io_test {

struct ZipEntry {
  std::string name;
  std::string packed;       // as it stands in the archive
  std::uint32_t bytes = 0;  // once unpacked, as the archive says
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::optional<std::uint32_t> header = {};  // where it is said to begin
};

inline std::uint32_t crc_of(std::string_view content) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

inline std::string deflated(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline ZipEntry stored_entry(const std::string& name, std::string_view content) {
  return {name, std::string(content), static_cast<std::uint32_t>(content.size()), crc_of(content)};
}

inline ZipEntry deflated_entry(const std::string& name, std::string_view content) {
  ZipEntry entry = stored_entry(name, content);
  entry.packed = deflated(content);
  entry.method = Z_DEFLATED;
  return entry;
}

class ZipBuilder {
 public:
  static std::string build(const std::vector<ZipEntry>& entries) {
    ZipBuilder builder;
    std::string directory;
    for (const ZipEntry& entry : entries) {
      const auto begin = static_cast<std::uint32_t>(builder.out_.size());
      builder.add_member(entry);
      directory += directory_entry(entry, entry.header.value_or(begin));
    }
    const auto begin = static_cast<std::uint32_t>(builder.out_.size());
    builder.out_ += directory;
    builder.put({"PK\5\6", 4}).put16(0).put16(0);
    builder.put16(entries.size()).put16(entries.size());
    builder.put32(directory.size()).put32(begin).put16(0);
    return builder.out_;
  }

 private:
  static std::string directory_entry(const ZipEntry& entry, std::uint32_t header) {
    ZipBuilder builder;
    builder.put({"PK\1\2", 4}).put16(20);
    builder.add_facts(entry).put16(0).put16(0).put16(0).put32(0).put32(header).put(entry.name);
    return builder.out_;
  }
  void add_member(const ZipEntry& entry) {
    put({"PK\3\4", 4}).add_facts(entry).put(entry.name).put(entry.packed);
  }
  // Adds the fields that both headers have, up to the length of the extra field.
  ZipBuilder& add_facts(const ZipEntry& entry) {
    put16(20).put16(entry.flags).put16(entry.method).put32(0x210000).put32(entry.crc);
    put32(entry.packed.size()).put32(entry.bytes).put16(entry.name.size());
    return put16(0);
  }
  ZipBuilder& put(std::string_view bytes) {
    out_ += bytes;
    return *this;
  }
  ZipBuilder& put16(std::uint64_t value) {
    out_ += {static_cast<char>(value & 0xFF), static_cast<char>(value >> 8 & 0xFF)};
    return *this;
  }
  ZipBuilder& put32(std::uint64_t value) { return put16(value & 0xFFFF).put16(value >> 16); }

  std::string out_;
};

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  return ZipBuilder::build(entries);
}

}  // namespace loci::io_test
