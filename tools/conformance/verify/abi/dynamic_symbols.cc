#include "tools/conformance/verify/abi/dynamic_symbols.h"

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {
namespace {

class Image {
 public:
  explicit Image(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    if (size < 0 || !std::filesystem::is_regular_file(path)) fail("the file cannot be read");
    bytes_.resize(static_cast<std::size_t>(size));
    file.seekg(0).read(bytes_.data(), size);
    if (!file) fail("the file cannot be read");
  }

  // `count` structs that lie together in the file.
  template <class Struct>
  [[nodiscard]] std::vector<Struct> read(std::uint64_t offset, std::uint64_t count) const {
    std::vector<Struct> items(count);
    if (count > 0)
      std::memcpy(items.data(), range(offset, count * sizeof(Struct)).data(),
                  count * sizeof(Struct));
    return items;
  }

  [[nodiscard]] std::string_view range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      fail("the file is damaged: {} bytes at {} of {}", size, offset, bytes_.size());
    }
    return std::string_view(bytes_).substr(offset, size);
  }

 private:
  std::string bytes_;
};

template <class Entry>
std::vector<Entry> entries_of(const Image& image, const Elf64_Shdr& section) {
  return image.read<Entry>(section.sh_offset, section.sh_size / sizeof(Entry));
}

std::string text_at(std::string_view texts, std::uint64_t offset) {
  if (offset >= texts.size()) fail("the file is damaged: a name lies outside its table");
  const std::string_view text = texts.substr(offset);
  return std::string(text.substr(0, text.find('\0')));
}

bool is_exported(const Elf64_Sym& symbol) {
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
         visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

// A version definition is a symbol too, absolute and named for the version.
bool is_version(const Elf64_Sym& symbol) {
  return symbol.st_shndx == SHN_ABS && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT;
}

void read_section(const Image& image, const Elf64_Shdr& section, std::string_view texts,
                  DynamicSymbols* found) {
  if (section.sh_type == SHT_DYNSYM) {
    for (const auto& symbol : entries_of<Elf64_Sym>(image, section)) {
      if (!is_exported(symbol) || is_version(symbol)) continue;
      found->exported.push_back(text_at(texts, symbol.st_name));
    }
    return;
  }
  for (const auto& entry : entries_of<Elf64_Dyn>(image, section)) {
    if (entry.d_tag == DT_NEEDED) found->needed.push_back(text_at(texts, entry.d_un.d_val));
  }
}

}  // namespace

DynamicSymbols read_dynamic_symbols(const std::string& path) {
  const Image image(path);
  const auto header = image.read<Elf64_Ehdr>(0, 1).front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) fail("it is no ELF file");
  const auto sections = image.read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  DynamicSymbols found;
  bool has_symbols = false;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    has_symbols = has_symbols || section.sh_type == SHT_DYNSYM;
    if (section.sh_link >= sections.size()) fail("the file is damaged: a section links nowhere");
    const Elf64_Shdr& texts = sections[section.sh_link];
    read_section(image, section, image.range(texts.sh_offset, texts.sh_size), &found);
  }
  if (!has_symbols) fail("the file has no section of dynamic symbols; do not strip its sections");
  return found;
}

}  // namespace loci::verify
