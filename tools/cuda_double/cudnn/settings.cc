#include "tools/cuda_double/cudnn/settings.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace loci::cudnn_double {
namespace {

void set(Settings& settings, const std::string& key, const std::string& value) {
  if (key == "version") {
    settings.version = std::strtoull(value.c_str(), nullptr, 10);
  } else if (key == "cudart") {
    settings.cudart = std::strtoull(value.c_str(), nullptr, 10);
  } else if (key == "parts") {
    settings.has_mixed_parts = value == "mixed";
  } else if (key == "refuse") {
    settings.refused = value;
  } else {
    fmt::print(stderr, "[cuda double] LOCI_CUDNN_DOUBLE has no '{}'\n", key);
  }
}

Settings read() {
  Settings settings;
  const char* text = std::getenv("LOCI_CUDNN_DOUBLE");
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    set(settings, part.substr(0, equals),
        equals == std::string::npos ? std::string() : part.substr(equals + 1));
  }
  return settings;
}

}  // namespace

const Settings& settings() {
  static const Settings instance = read();
  return instance;
}

}  // namespace loci::cudnn_double
