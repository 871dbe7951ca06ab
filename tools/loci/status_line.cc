#include "tools/loci/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <loci/plugin/terminal_text.hpp>

namespace loci::runner {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kUsualColumns = 80;

// One less than there are: a cursor behind the last one may be on the next line.
std::size_t usable_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : kUsualColumns) - 1;
}

}  // namespace

StatusLine::StatusLine()
    : terminal_(::isatty(STDERR_FILENO) == 1), last_(std::chrono::steady_clock::now()) {}

StatusLine::~StatusLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

bool StatusLine::is_due() const {
  return terminal_ && std::chrono::steady_clock::now() - last_ >= kInterval;
}

void StatusLine::show(const std::string& text) {
  if (!is_due()) return;
  last_ = std::chrono::steady_clock::now();
  shown_ = true;
  const std::string line = "\r" + sdk::terminal_text(text).substr(0, usable_columns()) + "\033[K";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace loci::runner
