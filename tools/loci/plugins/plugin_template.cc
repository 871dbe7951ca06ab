#include "tools/loci/plugins/plugin_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tools/loci/failure.h"
#include "tools/loci/plugins/template_files.h"

namespace loci::runner {
namespace {

// The names that the templates have in their text.
constexpr std::string_view kName = "sample";
constexpr std::string_view kClassName = "Sample";
constexpr std::string_view kQueuedBackend = "queued_backend";  // as its files are embedded
constexpr std::size_t kMostName = 32;
// A device type, namespace or reporter of these would be Loci's own, or that of a plugin which
// comes with it.
constexpr std::array<std::string_view, 14> kTaken{"cpu",     "gpu",     "loci",    "sim",  "cuda",
                                                  "classic", "csv",     "html",    "json", "nvprof",
                                                  "nvtx",    "statset", "summary", "trace"};

bool is_word(const std::string& name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kMostName && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void check_name(const std::string& name) {
  if (!is_word(name)) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[plugins new] '{}' is no name for a plugin; take at most {} "
                              "lower-case letters and digits, such as 'npu2'",
                              name, kMostName));
  }
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    throw Failure(ExitCode::kUsage, fmt::format("[plugins new] '{}' is a name of Loci's own, or of "
                                                "a plugin that comes with it; take another",
                                                name));
  }
}

void check_kind(const std::string& kind, Work work) {
  const std::vector<std::string> kinds = template_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--kind] '{}' is not one of {}", kind, fmt::join(kinds, ", ")));
  }
  if (work == Work::kQueued && kind != "backend") {
    throw Failure(
        ExitCode::kUsage,
        fmt::format("[--queued] a plugin of the kind '{}' has no device; leave it out, or "
                    "take --kind backend",
                    kind));
  }
}

std::string replaced(std::string text, std::string_view from, const std::string& by) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), by);
    at += by.size();
  }
  return text;
}

}  // namespace

std::vector<std::string> template_kinds() {
  std::vector<std::string> kinds;
  for (const TemplateFile& file : template_files()) {
    if (file.kind == kQueuedBackend) continue;  // a form of a backend, by --queued
    if (kinds.empty() || kinds.back() != file.kind) kinds.emplace_back(file.kind);
  }
  return kinds;
}

std::map<std::string, std::string> plugin_template(const std::string& name, const std::string& kind,
                                                   Work work) {
  check_name(name);
  check_kind(kind, work);
  const std::string_view wanted = work == Work::kQueued ? kQueuedBackend : std::string_view(kind);
  std::string class_name = name;
  class_name.front() = static_cast<char>(class_name.front() - 'a' + 'A');
  std::map<std::string, std::string> files;
  for (const TemplateFile& file : template_files()) {
    if (wanted != file.kind) continue;
    files[file.name] = replaced(replaced(file.text, kName, name), kClassName, class_name);
  }
  return files;
}

}  // namespace loci::runner
