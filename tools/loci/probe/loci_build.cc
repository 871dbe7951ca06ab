#include "tools/loci/probe/loci_build.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <loci/version.hpp>
#include <string_view>

namespace loci::runner {
namespace {

struct Wanted {
  std::uintptr_t address;
  std::string build_id;
};

std::uint64_t round_up(std::uint64_t value) { return (value + 3) / 4 * 4; }

// In notes that the dynamic linker has mapped, and so has checked.
std::string build_id_in(std::string_view notes) {
  constexpr std::string_view kName(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU);
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::uint64_t text = sizeof note + round_up(note.n_namesz);
    if (text + note.n_descsz > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note, note.n_namesz) == kName) {
      std::string digits;
      for (const char byte : notes.substr(text, note.n_descsz)) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return digits;
    }
    notes.remove_prefix(std::min<std::uint64_t>(text + round_up(note.n_descsz), notes.size()));
  }
  return {};
}

bool holds(const dl_phdr_info& object, std::uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

int visit(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  if (!holds(*object, wanted.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && wanted.build_id.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    wanted.build_id = build_id_in({notes, segment.p_memsz});
  }
  return 1;
}

}  // namespace

std::string loci_build() {
  // The text lies in the library.
  Wanted wanted{reinterpret_cast<std::uintptr_t>(version().data()), {}};
  ::dl_iterate_phdr(visit, &wanted);
  return fmt::format("{} {}", version(), wanted.build_id);
}

}  // namespace loci::runner
