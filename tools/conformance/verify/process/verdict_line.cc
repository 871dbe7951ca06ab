#include "tools/conformance/verify/process/verdict_line.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

namespace loci::verify {

std::string to_line(const Verdict& verdict) {
  const nlohmann::json json{{"outcome", static_cast<int>(verdict.outcome)},
                            {"message", verdict.message},
                            {"kernels", verdict.kernels},
                            {"device_lost", verdict.device_lost}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

Verdict from_line(const std::string& line) {
  const auto json = nlohmann::json::parse(line);
  return {static_cast<Outcome>(json["outcome"].get<int>()), json["message"],
          json["kernels"].get<std::set<std::string>>(), json["device_lost"].get<bool>()};
}

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(EXIT_FAILURE);
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace loci::verify
