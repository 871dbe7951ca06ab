#include "tools/loci/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <loci/plugin/terminal_text.hpp>

#include "tools/loci/failure.h"

namespace loci::runner {

void print(const std::string& given) {
  const std::string text = sdk::terminal_text(given);
  // Flushed at once: an error must not show up only when the process ends, and come too late.
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Failure(ExitCode::kFailed,
                  fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

void print_error(const std::string& text) { std::fputs(sdk::terminal_text(text).c_str(), stderr); }

void print_json(const nlohmann::ordered_json& object) {
  print(object.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) +
        "\n");
}

}  // namespace loci::runner
