#include "framework/io/saved_weights.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/core/directory_names.h"
#include "framework/core/dismantle_json.h"
#include "framework/core/file_error.h"
#include "framework/core/log.h"
#include "framework/core/output_file.h"
#include "framework/program/json_form.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNamePrefix = "weights-";
constexpr std::string_view kNameSuffix = ".safetensors";
constexpr std::size_t kNameDigits = 16;
constexpr mode_t kFileMode = 0666;

std::string in_directory(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

std::string name_of(std::uint64_t content) {
  return fmt::format("{}{:016x}{}", kNamePrefix, content, kNameSuffix);
}

bool is_weights_name(std::string_view name) {
  if (name == kUnnamedWeights) return true;
  if (name.size() != kNamePrefix.size() + kNameDigits + kNameSuffix.size()) return false;
  const std::string_view digits = name.substr(kNamePrefix.size(), kNameDigits);
  return name.substr(0, kNamePrefix.size()) == kNamePrefix &&
         name.substr(kNamePrefix.size() + kNameDigits) == kNameSuffix &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The names of weights in a directory. Nothing if it cannot be read.
std::vector<std::string> weights_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::string& name : core::directory_names(directory, error)) {
    if (is_weights_name(name)) names.push_back(std::move(name));
  }
  return names;
}

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

// Compares a file with an image, piece by piece; the first difference ends it.
class Comparison {
 public:
  explicit Comparison(const core::InputFile& file) : file_(file) {}

  bool same(const void* data, std::uint64_t bytes) {
    const auto* at = static_cast<const char*>(data);
    digest_.add(data, bytes);
    while (bytes > 0) {
      const std::uint64_t part = std::min<std::uint64_t>(bytes, buffer_.size());
      file_.read(offset_, buffer_.data(), part, "content");
      if (std::memcmp(buffer_.data(), at, part) != 0) return false;
      at += part;
      offset_ += part;
      bytes -= part;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }

 private:
  const core::InputFile& file_;
  core::Digest digest_;
  std::uint64_t offset_ = 0;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
};

// Nothing if the file has another content.
std::optional<std::uint64_t> digest_if_equal(const core::InputFile& file,
                                             const SafetensorsImage& image) {
  if (file.size() != image.bytes()) return {};
  Comparison comparison(file);
  const bool same = image.visit(
      [&](const void* data, std::uint64_t bytes) { return comparison.same(data, bytes); });
  if (!same) return {};
  return comparison.digest();
}

// Returns the mode of the weights that new ones replace, so that they stay as private; or 0.
mode_t mode_of_weights(const std::string& directory) {
  const std::string name = named_weights(directory);
  struct stat status {};
  if (name.empty() || ::stat(in_directory(directory, name).c_str(), &status) != 0) return 0;
  return S_ISREG(status.st_mode) ? status.st_mode & 07777 : 0;
}

bool is_old(const std::string& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(24);
}

}  // namespace

NewWeights::NewWeights(std::string directory, const SafetensorsImage& image)
    : directory_(std::move(directory)), image_(image) {
  record_.bytes = image.bytes();
  record_.header = image.header_digest();
  if (!find_equal()) write();
}

bool NewWeights::find_equal() {
  for (const std::string& name : weights_in(directory_)) {
    const std::string path = in_directory(directory_, name);
    if (name == kUnnamedWeights || !is_regular(path)) continue;
    try {
      auto file = std::make_unique<core::InputFile>(path);
      const auto digest = digest_if_equal(*file, image_);
      if (!digest || name_of(*digest) != name) continue;
      core::sync_file(path);
      record_.name = name;
      record_.content = *digest;
      equal_ = std::move(file);
      return true;
    } catch (const Error& error) {
      // Another writer may have removed it, or it is damaged: it is written anew.
      core::log(core::Module::kIo, core::Level::kDebug, "{} is not used: {}", path, error.what());
    }
  }
  return false;
}

void NewWeights::write() {
  const std::string target = in_directory(directory_, kUnnamedWeights);
  temporary_.emplace(directory_, kFileMode, target);
  if (const mode_t mode = mode_of_weights(directory_)) temporary_->set_mode(mode);
  core::Digest content;
  image_.visit([&](const void* data, std::uint64_t bytes) {
    temporary_->write(data, bytes);
    content.add(data, bytes);
    return true;
  });
  temporary_->sync();
  record_.content = content.value();
  record_.name = name_of(record_.content);
}

// When the equal file is gone.
void NewWeights::write_again() {
  const std::uint64_t before = record_.content;
  equal_.reset();
  write();
  if (record_.content == before) return;
  core::raise_file_error(ErrorCode::kFailed, directory_, "weights",
                         "they changed while they were saved; save them between two steps");
}

PlacedWeights::PlacedWeights(NewWeights& weights, const core::DirectoryLock& lock)
    : path_(in_directory(weights.directory_, weights.record_.name)) {
  if (weights.equal_ != nullptr) {
    // Without the lock another writer may remove it at any time.
    if (lock.is_held() && weights.equal_->has_its_name()) return;
    weights.write_again();
  }
  const bool is_new = !is_regular(path_);
  weights.temporary_->rename_to(path_);
  try {
    core::sync_directory(weights.directory_);
  } catch (...) {
    std::error_code ignored;
    if (is_new && lock.is_held()) fs::remove(path_, ignored);
    throw;
  }
  is_mine_ = is_new && lock.is_held();
}

PlacedWeights::~PlacedWeights() {
  std::error_code ignored;
  if (is_mine_) fs::remove(path_, ignored);
}

void PlacedWeights::keep() {
  is_mine_ = false;
  if (is_regular(path_)) return;
  core::raise_file_error(ErrorCode::kFailed, path_, "name",
                         "another process removed it while it was saved; save the model again");
}

std::string named_weights(const std::string& directory) {
  const std::string path = in_directory(directory, "program.json");
  try {
    const core::InputFile file(path);
    if (file.size() > program::kMostJsonBytes) return {};
    const core::OwnedJson json(nlohmann::json::parse(file.read_text(0, file.size(), "text")));
    const auto weights = json->find("weights");
    if (weights == json->end()) return kUnnamedWeights;
    return weights->is_null() ? "" : weights->at("file").get<std::string>();
  } catch (const Error&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

void remove_other_weights(const std::string& directory, const std::string& named,
                          const std::string& before, bool is_locked) {
  for (const std::string& name : weights_in(directory)) {
    const std::string path = in_directory(directory, name);
    if (name == named || !(is_locked || name == before || is_old(path))) continue;
    std::error_code error;
    fs::remove(path, error);
    if (!error) continue;
    core::log(core::Module::kIo, core::Level::kWarn, "{} is of no program and stays: {}", path,
              error.message());
  }
}

}  // namespace io
}  // namespace v0
}  // namespace loci
