#include <cstdint>
#include <filesystem>
#include <loci/io.hpp>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/file_error.h"
#include "framework/core/input_file.h"
#include "framework/io/program_state.h"
#include "framework/io/safetensors.h"
#include "framework/program/json_form.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

namespace fs = std::filesystem;
using program::ProgramImpl;

struct Paths {
  explicit Paths(const std::string& directory)
      : program((fs::path(directory) / "program.json").string()),
        weights((fs::path(directory) / "weights.safetensors").string()) {}

  std::string program;
  std::string weights;
};

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
    if (!error && fs::is_directory(directory, error)) return;
    const std::string reason = error ? error.message() : "is a file; give a directory";
    take_back();
    core::raise_file_error(ErrorCode::kFailed, path, "directory", "{}", reason);
  }
  ~NewDirectory() { take_back(); }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  void keep() { made_.clear(); }

 private:
  void take_back() {
    std::error_code ignored;
    for (auto at = made_.rbegin(); at != made_.rend(); ++at) fs::remove(*at, ignored);
    made_.clear();
  }

  std::vector<fs::path> made_;
};

void remove_stale(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) core::raise_file_error(ErrorCode::kFailed, path, "remove", "{}", error.message());
}

std::string checked_json(const ProgramImpl& main, const ProgramImpl* startup,
                         const std::string& path) {
  std::string json = program::to_json(main, startup);
  if (json.size() <= program::kMostJsonBytes) return json;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "size",
                         "the program takes {} bytes; at most {} can be read", json.size(),
                         program::kMostJsonBytes);
}

// Everything is checked before anything is written, and written before anything is replaced.
void save_directory(const std::string& directory, const ProgramImpl& main,
                    const ProgramImpl* startup, const NamedTensors* weights) {
  const Paths paths(directory);
  const std::string json = checked_json(main, startup, paths.program);
  std::optional<SafetensorsImage> image;
  if (weights != nullptr) image.emplace(*weights, paths.weights);

  NewDirectory made(directory);
  core::AtomicFile program_file(paths.program);
  program_file.write(json.data(), json.size());
  program_file.stage();
  if (image) {
    core::AtomicFile weights_file(paths.weights);
    image->write(weights_file);
    weights_file.stage();
    weights_file.commit();
    program_file.commit();
  } else {
    program_file.commit();
    remove_stale(paths.weights);
  }
  made.keep();
}

program::ParsedPrograms load_programs(const std::string& path) {
  const core::InputFile file(path);
  if (file.size() > program::kMostJsonBytes) {
    core::refuse(path, "size", "{} bytes are more than {}; is it a program?", file.size(),
                 program::kMostJsonBytes);
  }
  return program::from_json(file.read_text(0, file.size(), "text"), path);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

void check_directory(const std::string& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::directory) return;
  if (fs::exists(status)) {
    core::refuse(directory, "open", "is not a directory; give the one with program.json in it");
  }
  core::raise_file_error(ErrorCode::kNotFound, directory, "open",
                         "there is no such directory; check the path");
}

}  // namespace

void save_inference_model(const std::string& directory, const Program& program,
                          const std::vector<Variable>& feeds, const std::vector<Variable>& fetches,
                          const Scope& scope) {
  const Program pruned = program.prune(feeds, fetches).clone_for_test();
  const NamedTensors weights =
      gather_state(*pruned.impl(), scope, /*with_random_state=*/false, Paths(directory).weights);
  save_directory(directory, *pruned.impl(), nullptr, &weights);
}

void save_program(const std::string& directory, const Program& main, const Program& startup,
                  const Scope* scope) {
  NamedTensors weights;
  if (scope != nullptr) {
    weights =
        gather_state(*main.impl(), *scope, /*with_random_state=*/true, Paths(directory).weights);
  }
  save_directory(directory, *main.impl(), startup.impl().get(),
                 scope == nullptr ? nullptr : &weights);
}

Model load_model(const std::string& directory) {
  check_directory(directory);
  const Paths paths(directory);
  const program::ParsedPrograms programs = load_programs(paths.program);
  Model model;
  model.main = Program(programs.main);
  if (programs.startup != nullptr) model.startup = Program(programs.startup);
  if (is_there(paths.weights)) {
    const SafetensorsFile file(paths.weights);
    require_fit(compare_state(*programs.main, file.entries()), paths.weights,
                "the program beside them");
    model.weights = file.load_all();
    model.has_weights = true;
  }
  return model;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
