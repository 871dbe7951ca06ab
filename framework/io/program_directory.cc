#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <loci/io.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/core/quote.h"
#include "framework/io/atomic_file.h"
#include "framework/io/file_error.h"
#include "framework/io/input_file.h"
#include "framework/io/safetensors.h"
#include "framework/program/json_form.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

namespace fs = std::filesystem;
using program::ProgramImpl;
using program::VarDesc;
using program::VarId;

constexpr std::size_t kMostNamed = 10;

struct Paths {
  explicit Paths(const std::string& directory)
      : program((fs::path(directory) / "program.json").string()),
        weights((fs::path(directory) / "weights.safetensors").string()) {}

  std::string program;
  std::string weights;
};

// "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  const std::size_t shown = std::min(names.size(), kMostNamed);
  std::transform(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown),
                 std::back_inserter(quoted), core::quote);
  std::string text = fmt::format("{}", fmt::join(quoted, ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

bool contains(const std::vector<program::Slot>& slots, VarId id) {
  return std::any_of(slots.begin(), slots.end(), [id](const program::Slot& slot) {
    return std::find(slot.begin(), slot.end(), id) != slot.end();
  });
}

// The persistable variables that a run finds in the scope. One that an operator makes anew, such as
// a value kept to be looked at, is no state of the program.
std::vector<const VarDesc*> state_of(const ProgramImpl& program) {
  const program::Block& block = program.main();
  std::vector<bool> made(block.vars.size());
  for (const program::Operator& op : block.ops) {
    for (const program::Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        if (id == program::kNoVar || contains(op.inputs, id)) continue;
        made[static_cast<std::size_t>(id)] = true;
      }
    }
  }
  std::vector<const VarDesc*> state;
  for (std::size_t i = 0; i < block.vars.size(); ++i) {
    if (block.vars[i].persistable && !made[i]) state.push_back(&block.vars[i]);
  }
  return state;
}

// Without it a run starts from the seed.
bool is_random_state(const VarDesc& var) { return var.name == program::kRandomStateName; }

bool fits(const VarDesc& var, DType dtype, const Shape& shape) {
  const Shape& declared = var.type.shape;
  if (var.type.dtype != dtype || declared.rank() != shape.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (declared[axis] != kDynamicDim && declared[axis] != shape[axis]) return false;
  }
  return true;
}

std::string mismatch(const VarDesc& var, DType dtype, const Shape& shape) {
  return fmt::format("is {} {}, but the program declares {} {}", dtype_name(dtype),
                     shape.to_string(), dtype_name(var.type.dtype), var.type.shape.to_string());
}

NamedTensors gather(const ProgramImpl& program, const Scope& scope, bool with_random_state,
                    const std::string& path) {
  NamedTensors weights;
  std::vector<std::string> missing;
  for (const VarDesc* var : state_of(program)) {
    if (is_random_state(*var) && !(with_random_state && scope.has(var->name))) continue;
    if (!scope.has(var->name)) {
      missing.push_back(var->name);
      continue;
    }
    const Tensor tensor = scope.find(var->name);
    if (!fits(*var, tensor.dtype(), tensor.shape())) {
      raise_file_error(ErrorCode::kInvalidArgument, path, core::quote(var->name), "{}",
                       mismatch(*var, tensor.dtype(), tensor.shape()));
    }
    weights.emplace(var->name, tensor);
  }
  if (missing.empty()) return weights;
  raise_file_error(ErrorCode::kNotFound, path, listed(missing),
                   "not in the scope; run the startup program first");
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
    if (!error && fs::is_directory(directory, error)) return;
    const std::string reason = error ? error.message() : "is a file; give a directory";
    take_back();
    raise_file_error(ErrorCode::kFailed, path, "directory", "{}", reason);
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
  if (error) raise_file_error(ErrorCode::kFailed, path, "remove", "{}", error.message());
}

std::string checked_json(const ProgramImpl& main, const ProgramImpl* startup,
                         const std::string& path) {
  std::string json = program::to_json(main, startup);
  if (json.size() <= program::kMostJsonBytes) return json;
  raise_file_error(ErrorCode::kInvalidArgument, path, "size",
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
  AtomicFile program_file(paths.program);
  program_file.write(json.data(), json.size());
  program_file.stage();
  if (image) {
    AtomicFile weights_file(paths.weights);
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
  const InputFile file(path);
  if (file.size() > program::kMostJsonBytes) {
    refuse(path, "size", "{} bytes are more than {}; is it a program?", file.size(),
           program::kMostJsonBytes);
  }
  return program::from_json(file.read_text(0, file.size(), "text"), path);
}

// The weights are exactly the program's state; names first, as they say most about what is wrong.
void check_weights(const SafetensorsFile& file, const ProgramImpl& program,
                   const std::string& path) {
  std::map<std::string_view, const VarDesc*> expected;
  for (const VarDesc* var : state_of(program)) expected.emplace(var->name, var);
  std::vector<std::string> unexpected;
  std::set<std::string_view> present;
  for (const SafetensorsEntry& entry : file.entries()) {
    present.insert(entry.name);
    if (expected.count(entry.name) == 0) unexpected.push_back(entry.name);
  }
  std::vector<std::string> missing;
  for (const auto& [name, var] : expected) {
    if (present.count(name) == 0 && !is_random_state(*var)) missing.emplace_back(name);
  }
  if (!missing.empty() || !unexpected.empty()) {
    refuse(path, "tensors",
           "do not fit the program beside them: {}{}{}; use the weights that were "
           "saved with it",
           missing.empty() ? "" : "missing " + listed(missing),
           missing.empty() || unexpected.empty() ? "" : "; ",
           unexpected.empty() ? "" : "unexpected " + listed(unexpected));
  }
  for (const SafetensorsEntry& entry : file.entries()) {
    const VarDesc& var = *expected.at(entry.name);
    if (fits(var, entry.dtype, entry.shape)) continue;
    refuse(path, "tensor " + core::quote(entry.name), "{}",
           mismatch(var, entry.dtype, entry.shape));
  }
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
    refuse(directory, "open", "is not a directory; give the one with program.json in it");
  }
  raise_file_error(ErrorCode::kNotFound, directory, "open",
                   "there is no such directory; check the path");
}

}  // namespace

void save_inference_model(const std::string& directory, const Program& program,
                          const std::vector<Variable>& feeds, const std::vector<Variable>& fetches,
                          const Scope& scope) {
  const Program pruned = program.prune(feeds, fetches).clone_for_test();
  const NamedTensors weights =
      gather(*pruned.impl(), scope, /*with_random_state=*/false, Paths(directory).weights);
  save_directory(directory, *pruned.impl(), nullptr, &weights);
}

void save_program(const std::string& directory, const Program& main, const Program& startup,
                  const Scope* scope) {
  NamedTensors weights;
  if (scope != nullptr) {
    weights = gather(*main.impl(), *scope, /*with_random_state=*/true, Paths(directory).weights);
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
    check_weights(file, *programs.main, paths.weights);
    model.weights = file.load_all();
    model.has_weights = true;
  }
  return model;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
