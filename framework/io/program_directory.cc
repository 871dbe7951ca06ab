#include <cstdint>
#include <filesystem>
#include <loci/io.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/directory_lock.h"
#include "framework/core/environment.h"
#include "framework/core/file_error.h"
#include "framework/io/model_files.h"
#include "framework/io/program_state.h"
#include "framework/io/safetensors.h"
#include "framework/io/saved_weights.h"
#include "framework/program/json_form.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

namespace fs = std::filesystem;
using program::ProgramImpl;

std::string program_path(const std::string& directory) {
  return (fs::path(directory) / "program.json").string();
}

// Makes a directory, and takes back what it made unless keep() is called.
class NewDirectory {
 public:
  explicit NewDirectory(const std::string& path) {
    // A trailing slash would make an empty last name.
    fs::path directory = fs::absolute(path).lexically_normal();
    if (!directory.has_filename()) directory = directory.parent_path();
    std::error_code error;
    std::vector<fs::path> absent;
    for (fs::path at = directory; !fs::exists(at, error) && !error; at = at.parent_path()) {
      absent.push_back(at);
    }
    for (auto at = absent.rbegin(); !error && at != absent.rend(); ++at) {
      if (fs::create_directory(*at, error)) made_.push_back(*at);
    }
    if (!error && fs::is_directory(directory, error)) {
      sync();
      return;
    }
    const std::string reason = error ? error.message() : "is a file; give a directory";
    take_back();
    core::raise_file_error(ErrorCode::kFailed, path, "directory", "{}", reason);
  }
  ~NewDirectory() { take_back(); }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  void keep() { made_.clear(); }

 private:
  void sync() {
    try {
      for (const fs::path& each : made_) core::sync_directory(each.parent_path().string());
    } catch (...) {
      take_back();
      throw;
    }
  }
  void take_back() {
    std::error_code ignored;
    for (auto at = made_.rbegin(); at != made_.rend(); ++at) fs::remove(*at, ignored);
    made_.clear();
  }

  std::vector<fs::path> made_;
};

std::string checked_json(const ProgramImpl& main, const ProgramImpl* startup,
                         const std::string& path) {
  // The weights' record is short of this.
  constexpr std::size_t kMostBytes = program::kMostJsonBytes - 1024;
  std::string json = program::to_json(main, startup);
  if (json.size() <= kMostBytes) return json;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "size",
                         "the program takes {} bytes; at most {} can be read", json.size(),
                         kMostBytes);
}

// All that others see. The new weights have their name before a program file says it, and the old
// ones go after that.
void replace_model(const std::string& directory, core::AtomicFile& program_file,
                   NewWeights* weights, NewDirectory& made) {
  const core::DirectoryLock lock(directory);
  const std::string before = named_weights(directory);
  std::optional<PlacedWeights> placed;
  if (weights != nullptr) placed.emplace(*weights, lock);
  program_file.replace();
  made.keep();
  if (placed) placed->keep();
  program_file.commit();
  remove_other_weights(directory, weights == nullptr ? "" : weights->record().name, before,
                       lock.is_held());
}

// Everything is checked before anything is written, and written before anything is replaced.
void save_directory(const std::string& directory, const ProgramImpl& main,
                    const ProgramImpl* startup, const NamedTensors* weights) {
  const std::string path = program_path(directory);
  std::string json = checked_json(main, startup, path);
  std::optional<SafetensorsImage> image;
  if (weights != nullptr) image.emplace(*weights, directory);

  NewDirectory made(directory);
  std::optional<NewWeights> new_weights;
  program::WeightsRecord record{.is_given = true, .file = {}};
  if (image) record.file = new_weights.emplace(directory, *image).record();
  program::add_weights_record(json, record);
  core::AtomicFile program_file(path);
  program_file.write(json.data(), json.size());
  program_file.stage();
  replace_model(directory, program_file, new_weights ? &*new_weights : nullptr, made);
}

void check_content(const SafetensorsFile& file, std::uint64_t digest,
                   const program::WeightsRecord& record) {
  if (!record.file) {
    core::raise_file_error(ErrorCode::kUnsupported, file.path(), "content",
                           "program.json has no digest to check it by; save the model again, or "
                           "load it without the check");
  }
  if (digest == record.file->content) return;
  core::refuse(
      file.path(), "content",
      "its digest is {}, but program.json says {}; it is damaged; bring it back from where "
      "it came, or save the model again",
      core::digest_text(digest), core::digest_text(record.file->content));
}

}  // namespace

void save_inference_model(const std::string& directory, const Program& program,
                          const std::vector<Variable>& feeds, const std::vector<Variable>& fetches,
                          const Scope& scope) {
  const Program pruned = program.prune(feeds, fetches).clone_for_test();
  const NamedTensors weights =
      gather_state(*pruned.impl(), scope, /*with_random_state=*/false, directory);
  save_directory(directory, *pruned.impl(), nullptr, &weights);
}

void save_program(const std::string& directory, const Program& main, const Program& startup,
                  const Scope* scope) {
  NamedTensors weights;
  if (scope != nullptr) {
    weights = gather_state(*main.impl(), *scope, /*with_random_state=*/true, directory);
  }
  save_directory(directory, *main.impl(), startup.impl().get(),
                 scope == nullptr ? nullptr : &weights);
}

Model load_model(const std::string& directory, const LoadOptions& options) {
  core::check_environment();
  const ModelFiles files = open_model_files(directory);
  const program::ParsedPrograms& programs = files.programs;
  Model model;
  model.main = Program(programs.main);
  if (programs.startup != nullptr) model.startup = Program(programs.startup);
  if (files.weights == nullptr) return model;
  const SafetensorsFile& file = *files.weights;
  require_fit(compare_state(*programs.main, file.entries()), file.path(),
              "the program beside them");
  std::uint64_t digest = 0;
  model.weights = file.load_all(options.check_content ? &digest : nullptr);
  model.has_weights = true;
  if (options.check_content) check_content(file, digest, programs.weights);
  return model;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
