#include "tools/conformance/verify/process/last_words.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace loci::verify {
namespace {

constexpr std::size_t kWordBytes = 256;

struct Page {
  char call[kWordBytes];
  char device[kWordBytes];
  char death[kWordBytes];
};

Page* page = nullptr;

// Ends with a NUL at any time, so that whoever reads meanwhile stays within the word.
void write(char (&word)[kWordBytes], std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), kWordBytes - 1);
  std::memcpy(word, text.data(), size);
  word[size] = '\0';
}

}  // namespace

void share_last_words() {
  if (page != nullptr) return;
  void* memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "sharing memory with a process");
  }
  page = static_cast<Page*>(memory);
}

void share_last_words_anew() {
  if (page != nullptr) ::munmap(page, sizeof(Page));
  page = nullptr;
  share_last_words();
}

void note_call(std::string_view call) noexcept {
  if (page != nullptr) write(page->call, call);
}

void note_device(std::string_view device) noexcept {
  if (page != nullptr) write(page->device, device);
}

void note_death(std::string_view sentence) noexcept {
  if (page != nullptr) write(page->death, sentence);
}

LastWords take_last_words() {
  if (page == nullptr) return {};
  LastWords words{page->call, page->device, page->death};
  std::memset(page, 0, sizeof *page);
  return words;
}

}  // namespace loci::verify
