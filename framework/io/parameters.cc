#include <filesystem>
#include <loci/io.hpp>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/io/model_files.h"
#include "framework/io/program_state.h"
#include "framework/io/safetensors.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

// Returns the entries under the names that the program has for them.
std::vector<SafetensorsEntry> without_prefix(std::vector<SafetensorsEntry> entries,
                                             const std::string& prefix) {
  for (SafetensorsEntry& entry : entries) {
    if (entry.name.compare(0, prefix.size(), prefix) == 0) entry.name.erase(0, prefix.size());
  }
  return entries;
}

// All are read before the first is set: a damaged file changes nothing.
void set_all(const SafetensorsFile& file, const std::vector<SafetensorsEntry>& entries,
             const std::vector<std::string>& names, const Scope& scope) {
  const std::set<std::string_view> wanted(names.begin(), names.end());
  NamedTensors tensors;
  for (const SafetensorsEntry& entry : entries) {
    if (wanted.count(entry.name) != 0) tensors.emplace(entry.name, file.load(entry));
  }
  for (const auto& [name, tensor] : tensors) scope.set(name, tensor);
}

std::unique_ptr<SafetensorsFile> open_parameters(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::make_unique<SafetensorsFile>(path);
  ModelFiles files = open_model_files(path);
  if (files.weights != nullptr) return std::move(files.weights);
  core::raise_file_error(ErrorCode::kNotFound, path, "weights",
                         "the model was saved without any; run its startup program");
}

}  // namespace

void save_parameters(const std::string& path, const Program& program, const Scope& scope) {
  save_safetensors(path, gather_state(*program.impl(), scope, /*with_random_state=*/true, path));
}

void load_parameters(const std::string& path, const Program& program, const Scope& scope,
                     const std::string& prefix) {
  const auto file = open_parameters(path);
  const auto entries = without_prefix(file->entries(), prefix);
  const LoadReport report = compare_state(*program.impl(), entries);
  require_fit(report, path, "the program");
  set_all(*file, entries, report.loaded, scope);
}

LoadReport load_fitting_parameters(const std::string& path, const Program& program,
                                   const Scope& scope, const std::string& prefix) {
  const auto file = open_parameters(path);
  const auto entries = without_prefix(file->entries(), prefix);
  LoadReport report = compare_state(*program.impl(), entries);
  set_all(*file, entries, report.loaded, scope);
  return report;
}

void save_scope(const std::string& path, const Scope& scope) {
  NamedTensors tensors;
  for (const std::string& name : scope.names()) tensors.emplace(name, scope.find(name));
  save_safetensors(path, tensors);
}

void load_scope(const std::string& path, const Scope& scope) {
  for (const auto& [name, tensor] : load_safetensors(path)) scope.set(name, tensor);
}

}  // namespace io
}  // namespace v0
}  // namespace loci
