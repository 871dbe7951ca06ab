#include "framework/reporting/separate_outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci::reporting {
namespace {

namespace fs = std::filesystem;

struct Output {
  std::string who;
  std::string path;  // as the user spells it
};

// The target of a link that leads nowhere yet is made by writing, which weakly_canonical() would
// take for the link itself. What cannot be resolved stays as it is: writing it says why.
fs::path follow_links(fs::path file) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++i) {
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  return file;
}

// One path for all spellings of a file. As AtomicFile, which replaces a link that nobody asked for.
fs::path file_of(const std::string& path, bool follows_links) {
  std::error_code error;
  fs::path file = fs::absolute(path, error);
  if (follows_links) file = follow_links(file);
  const fs::path directory = fs::weakly_canonical(file.parent_path(), error);
  return (error ? file.parent_path().lexically_normal() : directory) / file.filename();
}

class Outputs {
 public:
  void add(const Output& output, bool follows_links) {
    const fs::path file = file_of(output.path, follows_links);
    const auto [taken, added] = by_file_.emplace(file, output);
    if (!added) refuse(file, taken->second, output);
  }

 private:
  [[noreturn]] static void refuse(const fs::path& file, const Output& one, const Output& other) {
    core::raise(ErrorCode::kInvalidArgument,
                "[profiler] {} ({}) and {} ({}) would both be the file {}; give each a file of its "
                "own, as in NAME=OUT",
                one.who, core::quote(one.path), other.who, core::quote(other.path),
                core::quote(file.string()));
  }

  std::map<fs::path, Output> by_file_;
};

}  // namespace

void require_separate_outputs(const std::vector<std::unique_ptr<OpenReporter>>& reporters,
                              const std::string& profile_path) {
  Outputs outputs;
  if (!profile_path.empty()) outputs.add({"the profile", profile_path}, true);
  for (const auto& reporter : reporters) {
    if (reporter->path().empty()) continue;
    outputs.add({fmt::format("the report '{}'", reporter->name()), reporter->path()},
                !reporter->is_default_path());
  }
}

}  // namespace loci::reporting
