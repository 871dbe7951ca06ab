#include "framework/io/model_files.h"

#include <filesystem>
#include <loci/error.hpp>
#include <system_error>

#include "framework/core/file_error.h"
#include "framework/core/input_file.h"
#include "framework/core/quote.h"
#include "framework/io/saved_weights.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

namespace fs = std::filesystem;

void check_directory(const std::string& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::directory) return;
  if (error && status.type() != fs::file_type::not_found) {
    core::raise_system_error(directory, "open", error.value());
  }
  if (fs::exists(status)) {
    core::refuse(directory, "open", "is not a directory; give the one with program.json in it");
  }
  core::raise_file_error(ErrorCode::kNotFound, directory, "open",
                         "there is no such directory; check the path");
}

program::ParsedPrograms parse(const core::InputFile& file) {
  if (file.size() > program::kMostJsonBytes) {
    core::refuse(file.path(), "size", "{} bytes are more than {}; is it a program?", file.size(),
                 program::kMostJsonBytes);
  }
  return program::from_json(file.read_text(0, file.size(), "text"), file.path());
}

void check_weights(const SafetensorsFile& file, const program::WeightsFile& record) {
  if (file.bytes() != record.bytes) {
    core::refuse(file.path(), "length",
                 "{} bytes, but program.json names a file of {}; it is {}; save the model again",
                 file.bytes(), record.bytes,
                 file.bytes() < record.bytes ? "truncated" : "another one");
  }
  if (file.header_digest() == record.header) return;
  core::refuse(file.path(), "header",
               "its digest is {}, but program.json names a file with {}; it is another one; save "
               "the model again",
               core::digest_text(file.header_digest()), core::digest_text(record.header));
}

// Null if it is not there.
std::unique_ptr<SafetensorsFile> open_if_there(const std::string& path) {
  try {
    return std::make_unique<SafetensorsFile>(path);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kNotFound) return nullptr;
    throw;
  }
}

bool has_entry(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

[[noreturn]] void refuse_absent(const std::string& path) {
  core::raise_file_error(ErrorCode::kNotFound, path, "open",
                         "there is no such file; program.json needs it; save the model again");
}

}  // namespace

ModelFiles open_model_files(const std::string& directory) {
  check_directory(directory);
  constexpr int kMostAttempts = 1000;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    // It stays open, so that no other file can be taken for it.
    const core::InputFile file((fs::path(directory) / "program.json").string());
    ModelFiles files{parse(file), nullptr};
    const program::WeightsRecord& record = files.programs.weights;
    if (record.is_given && !record.file) return files;
    const std::string name = record.file ? record.file->name : kUnnamedWeights;
    const std::string path = (fs::path(directory) / name).string();
    files.weights = open_if_there(path);
    if (files.weights != nullptr) {
      if (record.file) check_weights(*files.weights, *record.file);
      return files;
    }
    // Weights go only after the program file that named them.
    if (!file.has_its_name()) continue;
    if (record.file || has_entry(path)) refuse_absent(path);
    return files;
  }
  core::raise_file_error(ErrorCode::kFailed, directory, "open",
                         "it was saved anew {} times while it was read; read it between two saves",
                         kMostAttempts);
}

}  // namespace io
}  // namespace v0
}  // namespace loci
