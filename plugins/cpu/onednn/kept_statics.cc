#include "plugins/cpu/onednn/kept_statics.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

namespace loci::cpu::onednn {
namespace {

#if defined(__aarch64__)
constexpr std::uint64_t kOfCall = R_AARCH64_JUMP_SLOT;
constexpr std::uint64_t kOfPointer = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint64_t kOfCall = R_X86_64_JUMP_SLOT;
constexpr std::uint64_t kOfPointer = R_X86_64_GLOB_DAT;
#endif

std::uintptr_t page_of(std::uintptr_t address) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return address / page_bytes * page_bytes;
}

using Register = int (*)(void (*)(void*), void*, void*);

// In place of __cxa_atexit(), whose success is 0.
int register_nothing(void (*)(void*), void*, void*) { return 0; }

// The pages that the dynamic linker has made read-only once it was done.
struct ReadOnly {
  std::uintptr_t base;  // of the library
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

int find_read_only(dl_phdr_info* info, std::size_t, void* found) {
  auto* const memory = static_cast<ReadOnly*>(found);
  if (info->dlpi_addr != memory->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_GNU_RELRO) continue;
    memory->begin = page_of(memory->base + part.p_vaddr);
    memory->end = page_of(memory->base + part.p_vaddr + part.p_memsz);
  }
  return 1;
}

// Where a library keeps the addresses of functions of other libraries.
class ImportedFunctions {
 public:
  explicit ImportedFunctions(const link_map& library)
      : base_(library.l_addr), read_only_{library.l_addr} {
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) note(*entry);
    ::dl_iterate_phdr(find_read_only, &read_only_);
  }

  void replace(const char* name, Register function) const {
    if (symbols_ == nullptr || names_ == nullptr) return;
    for (const Relocations& each : relocations_) {
      for (std::size_t i = 0; i < each.bytes / sizeof(ElfW(Rela)); ++i) {
        const ElfW(Rela)& one = each.first[i];
        const std::uint64_t type = ELF64_R_TYPE(one.r_info);
        if (type != kOfCall && type != kOfPointer) continue;
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(one.r_info)];
        if (std::strcmp(names_ + symbol.st_name, name) == 0) write(base_ + one.r_offset, function);
      }
    }
  }

 private:
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };

  void note(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB: symbols_ = reinterpret_cast<const ElfW(Sym)*>(entry.d_un.d_ptr); break;
      case DT_STRTAB: names_ = reinterpret_cast<const char*>(entry.d_un.d_ptr); break;
      case DT_RELA:
        relocations_[0].first = reinterpret_cast<const ElfW(Rela)*>(entry.d_un.d_ptr);
        break;
      case DT_RELASZ: relocations_[0].bytes = entry.d_un.d_val; break;
      case DT_JMPREL:
        relocations_[1].first = reinterpret_cast<const ElfW(Rela)*>(entry.d_un.d_ptr);
        break;
      case DT_PLTRELSZ: relocations_[1].bytes = entry.d_un.d_val; break;
      default: break;
    }
  }

  void write(std::uintptr_t slot, Register function) const {
    auto* const page = reinterpret_cast<void*>(page_of(slot));
    const bool is_read_only = read_only_.begin <= slot && slot < read_only_.end;
    if (is_read_only && ::mprotect(page, 1, PROT_READ | PROT_WRITE) != 0) return;
    // Other threads may be calling it.
    reinterpret_cast<std::atomic<Register>*>(slot)->store(function);
    if (is_read_only) ::mprotect(page, 1, PROT_READ);
  }

  std::uintptr_t base_;
  ReadOnly read_only_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  Relocations relocations_[2];  // of data, and of calls
};

}  // namespace

void keep_statics() {
  Dl_info info{};
  link_map* library = nullptr;
  const auto* const address = reinterpret_cast<const void*>(&dnnl_version);
  if (::dladdr1(address, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0) return;
  // A program that has oneDNN linked in goes on to destroy its own objects.
  if (*library->l_name == '\0') return;
  ImportedFunctions(*library).replace("__cxa_atexit", register_nothing);
}

}  // namespace loci::cpu::onednn
