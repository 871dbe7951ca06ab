#include "tools/loci/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace loci::runner {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

void write_line(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::int64_t total)
    : total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::step() {
  ++done_;
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kInterval) return;
  last_ = now;
  shown_ = true;
  write_line(fmt::format("\rrun {} of {}", done_, total_));
}

}  // namespace loci::runner
