#include "tests/bench/peer.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"

namespace loci::bench {
namespace {

// Where tools/setup --peers puts them.
std::filesystem::path peers_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) {
    return std::filesystem::path(cache) / "loci/peers";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".cache/loci/peers";
}

struct ClosePipe {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, ClosePipe> pipe(popen(command.c_str(), "r"));
  std::string output;
  std::array<char, 4096> chunk{};
  while (pipe) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe.get());
    if (count == 0) break;
    output.append(chunk.data(), count);
  }
  return output;
}

}  // namespace

std::filesystem::path peers_python() {
  if (const char* chosen = std::getenv("LOCI_PEERS_PYTHON")) return chosen;
  const std::filesystem::path python = peers_directory() / "bin/python";
  return std::filesystem::exists(python) ? python : std::filesystem::path();
}

std::string peer_script(const std::string& name) {
  const char* chosen = std::getenv("LOCI_PEERS_SCRIPTS");
  return (chosen == nullptr ? test::source_path("tests/bench/peers") : chosen) + ("/" + name);
}

std::optional<std::map<std::string, double>> run_peer(const std::string& script,
                                                      const std::string& arguments,
                                                      std::string* why) {
  const std::filesystem::path python = peers_python();
  if (python.empty()) {
    *why = "peers are absent; tools/setup --peers installs them";
    return std::nullopt;
  }
  const std::string output = output_of("'" + python.string() + "' '" + peer_script(script) + "' " +
                                       arguments + " 2>/dev/null");
  const nlohmann::json parsed = nlohmann::json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    *why = script + ": the peer is not installed or failed";
    return std::nullopt;
  }
  return parsed.get<std::map<std::string, double>>();
}

}  // namespace loci::bench
