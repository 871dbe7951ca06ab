#include "framework/plugin/plugin_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/plugin/declared.h"
#include "framework/plugin/exit_watch.h"
#include "framework/plugin/library.h"
#include "framework/plugin/loader.h"
#include "framework/plugin/search_path.h"
#include "framework/plugin/unknown_settings.h"

namespace loci::plugin {
namespace {

namespace fs = std::filesystem;
using plugins::Stage;

// Made absolute now, so that a later change of the working directory does not move it.
std::string absolute_existing(const std::string& path, bool directory) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    core::raise(ErrorCode::kNotFound, "[plugin] there is no {} '{}'; give the path of {}",
                directory ? "directory" : "file", path,
                directory ? "a directory of plugins" : "a plugin, a file such as loci-cpu.so");
  }
  if (fs::is_directory(status) != directory) {
    core::raise(ErrorCode::kNotFound, "[plugin] '{}' is {}; give the path of {}", path,
                directory ? "not a directory" : "a directory",
                directory ? "a directory of plugins" : "a plugin's file");
  }
  return fs::absolute(path).lexically_normal().string();
}

}  // namespace

class PluginManager::Impl {
 public:
  explicit Impl(std::string install_directory) : install_directory_(std::move(install_directory)) {}

  ~Impl() {
    for (const std::unique_ptr<Record>& record : records_) keep_if_in_use(*record);
  }

  std::mutex& mutex() { return mutex_; }

  void configure(const plugins::SearchOptions& options) {
    if (any_mapped()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[plugin] plugins are in use; set the search options before the first device, "
                  "program run or activation");
    }
    plugins::SearchOptions checked = options;
    for (std::string& file : checked.files) file = absolute_existing(file, /*directory=*/false);
    for (std::string& path : checked.directories) path = absolute_existing(path, true);
    options_ = std::move(checked);
    records_.clear();
    discovered_ = false;
  }

  // Reads manifests at the first call.
  std::vector<std::unique_ptr<Record>>& records() {
    if (!discovered_) discover();
    return records_;
  }

  // Activates the candidates that `select` takes.
  template <class Select>
  void activate_if(const Select& select) {
    for (const std::unique_ptr<Record>& record : records()) {
      if (select(*record)) start(*record);
    }
  }
  void activate_type(std::string_view type) {
    activate_if([type](const Record& record) { return is_backend_for(record, type); });
  }

  // One line for each candidate that `select` takes, or whose manifest could not be read: it may be
  // the very plugin that is missed.
  template <class Select>
  std::string reasons_against(const Select& select) {
    std::string lines;
    for (const std::unique_ptr<Record>& record : records()) {
      if (record->has_manifest() && !select(*record)) continue;
      const std::string reason = reason_against(*record);
      if (reason.empty()) continue;
      if (!lines.empty()) lines += '\n';
      lines += fmt::format("{}: {}", record->report.path, reason);
    }
    return lines;
  }

  SearchPlaces places() const {
    SearchPlaces places;
    places.files = options_.files;
    places.directories = options_.directories;
    places.environment = environment_plugin_path();
    places.install_directory = install_directory_;
    return places;
  }

 private:
  void start(Record& record) {
    const bool may_start = record.usable() || record.lacked_memory;
    if (!may_start || record.report.stage == Stage::kActive) return;
    // Once it is mapped, its library has registered what runs at exit.
    const bool is_new = !Library::is_mapped(record.report.path);
    if (is_new) watch_exits(record.report.id, record.report.path);
    warn_of_unknown_settings(record.manifest, other_ids(record));
    activate(record, op_owners_, options_.check);
    if (is_new) watch_exits(record.report.id, record.report.path);
  }

  std::vector<std::string> other_ids(const Record& record) const {
    std::vector<std::string> ids;
    for (const std::unique_ptr<Record>& other : records_) {
      if (other.get() != &record && other->has_manifest()) ids.push_back(other->report.id);
    }
    return ids;
  }

  bool any_mapped() const {
    return std::any_of(records_.begin(), records_.end(), [](const std::unique_ptr<Record>& r) {
      return r->report.stage >= Stage::kMapped;
    });
  }

  // From the beginning where an earlier call ran out of memory.
  void discover() {
    records_.clear();
    for (const Found& found : find_candidates(places())) {
      records_.push_back(std::make_unique<Record>());
      Record& record = *records_.back();
      record.report.path = found.path;
      if (found.refusal) {
        fail(record, found.refusal->cause(), found.refusal->remedy());
        continue;
      }
      examine(record);
      settle(record);
    }
    discovered_ = true;
  }

  // The first plugin of an id is the one of that id, even if it fails: another one taking its place
  // unasked would hide the failure.
  void settle(Record& record) {
    if (!record.has_manifest()) return;
    const std::vector<std::string>& disabled = options_.disabled_ids;
    record.report.disabled =
        std::find(disabled.begin(), disabled.end(), record.report.id) != disabled.end();
    const auto first = std::find_if(
        records_.begin(), records_.end(), [&record](const std::unique_ptr<Record>& other) {
          return other->has_manifest() && other->report.id == record.report.id;
        });
    if (record.report.failed) return;
    if (first->get() == &record) return settle_capturer(record);
    fail(record,
         fmt::format("the id {} of '{}' is taken by '{}', which comes first in the search",
                     record.report.id, record.report.path, (*first)->report.path),
         "remove one of the two files");
  }

  // Of a device type there is one capturer: which of two it were would depend on nothing that a
  // user sees.
  void settle_capturer(Record& record) {
    if (!record.manifest.has_kind("capture") || record.report.disabled) return;
    for (const std::string& type : record.manifest.device_types) {
      for (const std::unique_ptr<Record>& other : records_) {
        if (other.get() == &record) break;
        if (!is_capturer_for(*other, type) || other->report.disabled) continue;
        fail(record,
             fmt::format("{} of '{}' captures the streams of '{}' already, which comes first in "
                         "the search",
                         other->report.id, other->report.path, type),
             fmt::format("remove one of the two files, or disable {}", other->report.id));
        return;
      }
    }
  }

  // Live objects refer to the instance; it is better to lose it than to pull it away.
  static void keep_if_in_use(Record& record) {
    if (record.instance == nullptr || record.instance->live_objects() == 0) return;
    core::log(core::Module::kPlugin, core::Level::kError, "{} still has {} live objects",
              record.report.id, record.instance->live_objects());
    static_cast<void>(record.instance.release());
  }

  std::mutex mutex_;
  std::string install_directory_;
  plugins::SearchOptions options_;
  bool discovered_ = false;
  OpOwners op_owners_;
  std::vector<std::unique_ptr<Record>> records_;
};

PluginManager& PluginManager::instance() {
  core::check_environment();
  return core::in_context<PluginManager>();
}

PluginManager::PluginManager() : PluginManager(install_plugin_directory()) {}

PluginManager::PluginManager(std::string install_directory)
    : impl_(std::make_unique<Impl>(std::move(install_directory))) {}

PluginManager::~PluginManager() = default;

void PluginManager::configure(const plugins::SearchOptions& options) {
  const std::lock_guard lock(impl_->mutex());
  impl_->configure(options);
}

std::vector<plugins::Candidate> PluginManager::report(bool activate_all) {
  const std::lock_guard lock(impl_->mutex());
  if (activate_all) impl_->activate_if([](const Record&) { return true; });
  std::vector<plugins::Candidate> candidates;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    candidates.push_back(record->report);
  }
  return candidates;
}

std::vector<plugins::SearchPlace> PluginManager::search_places() {
  const std::lock_guard lock(impl_->mutex());
  return describe_places(impl_->places());
}

std::vector<std::string> PluginManager::device_types() {
  const std::lock_guard lock(impl_->mutex());
  std::set<std::string> types;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (!record->usable() || !record->manifest.has_kind("backend")) continue;
    types.insert(record->manifest.device_types.begin(), record->manifest.device_types.end());
  }
  return {types.begin(), types.end()};
}

std::vector<const device::DeviceBackend*> PluginManager::backends(std::string_view device_type) {
  const std::lock_guard lock(impl_->mutex());
  impl_->activate_type(device_type);
  std::vector<const BackendTables*> found;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    const BackendTables& tables = record->backend;
    if (!record->usable() || tables.device == nullptr) continue;
    if (tables.device_type == device_type && tables.score > 0) found.push_back(&tables);
  }
  std::stable_sort(found.begin(), found.end(), [](const BackendTables* a, const BackendTables* b) {
    return a->score > b->score;
  });
  std::vector<const device::DeviceBackend*> result;
  for (const BackendTables* tables : found) result.push_back(tables->device.get());
  return result;
}

std::string PluginManager::explain_missing(std::string_view device_type) {
  const std::lock_guard lock(impl_->mutex());
  const auto is_asked_for = [device_type](const Record& record) {
    return is_backend_for(record, device_type);
  };
  // What failed for want of memory is tried again, and may have nothing to say of it then.
  std::string before = impl_->reasons_against(is_asked_for);
  impl_->activate_type(device_type);
  std::string after = impl_->reasons_against(is_asked_for);
  return after.empty() ? before : after;
}

std::vector<const device::KernelLibrary*> PluginManager::kernel_libraries(
    std::string_view device_type) {
  const std::lock_guard lock(impl_->mutex());
  impl_->activate_type(device_type);
  std::vector<const device::KernelLibrary*> result;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    const BackendTables& tables = record->backend;
    if (!record->usable() || tables.kernels == nullptr) continue;
    if (tables.kernels_type == device_type) result.push_back(tables.kernels.get());
  }
  return result;
}

const device_graph::CapturerLibrary* PluginManager::capturer(std::string_view device_type) {
  const std::lock_guard lock(impl_->mutex());
  const auto declares = [device_type](const Record& record) {
    return is_capturer_for(record, device_type);
  };
  impl_->activate_if(declares);
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (record->usable() && record->capturer != nullptr && declares(*record)) {
      return record->capturer.get();
    }
  }
  return nullptr;
}

std::string PluginManager::explain_missing_capturer(std::string_view device_type) {
  const std::lock_guard lock(impl_->mutex());
  return impl_->reasons_against(
      [device_type](const Record& record) { return is_capturer_for(record, device_type); });
}

std::vector<const OpLibrary*> PluginManager::op_libraries() {
  const std::lock_guard lock(impl_->mutex());
  impl_->activate_if(brings_ops);
  std::vector<const OpLibrary*> result;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (record->usable() && record->ops != nullptr) result.push_back(record->ops.get());
  }
  return result;
}

std::string PluginManager::explain_missing_ops() {
  const std::lock_guard lock(impl_->mutex());
  impl_->activate_if(brings_ops);
  return impl_->reasons_against(brings_ops);
}

std::vector<std::string> PluginManager::reporter_names() {
  const std::lock_guard lock(impl_->mutex());
  std::set<std::string> names;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (!record->usable()) continue;
    names.insert(record->manifest.reporters.begin(), record->manifest.reporters.end());
  }
  return {names.begin(), names.end()};
}

const reporting::Reporter* PluginManager::reporter(std::string_view name) {
  const std::lock_guard lock(impl_->mutex());
  const auto declares = [name](const Record& record) { return brings_reporter(record, name); };
  impl_->activate_if(declares);
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (!record->usable()) continue;
    for (const TakenReporter& taken : record->reporters) {
      if (taken.name == name) return taken.reporter.get();
    }
  }
  return nullptr;
}

std::string PluginManager::explain_missing_reporter(std::string_view name) {
  const std::lock_guard lock(impl_->mutex());
  return impl_->reasons_against(
      [name](const Record& record) { return brings_reporter(record, name); });
}

void PluginManager::unload(std::string_view id) {
  const std::lock_guard lock(impl_->mutex());
  std::vector<std::string> known;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    known.push_back(record->report.id);
    if (!record->has_manifest() || record->report.id != id) continue;
    Instance* instance = record->instance.get();
    if (record->ops != nullptr && record->usable()) {
      core::raise(
          ErrorCode::kFailed,
          "[plugin] {} brings ops, to which programs may refer until the process ends; leave "
          "it out from the beginning",
          id);
    }
    if (instance != nullptr && instance->live_objects() > 0) {
      core::raise(ErrorCode::kFailed,
                  "[plugin] {} has {} live objects; release its tensors, programs and devices "
                  "before unloading it",
                  id, instance->live_objects());
    }
    if (instance != nullptr) {
      instance->destroy();
      record->report.stage = Stage::kMapped;
    }
    record->report.disabled = true;
    return;
  }
  core::raise(ErrorCode::kNotFound, "[plugin] there is no plugin '{}'{}", id,
              core::suggest(id, known));
}

}  // namespace loci::plugin
