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
  void activate(const InterfaceKind& kind, std::optional<std::string_view> name) {
    activate_if([&](const Record& record) { return declares(record, kind, name); });
  }

  // One line for each candidate that declares the name, or whose manifest could not be read: it may
  // be the very plugin that is missed.
  std::string reasons_against(const InterfaceKind& kind, std::optional<std::string_view> name) {
    std::string lines;
    for (const std::unique_ptr<Record>& record : records()) {
      if (record->has_manifest() && !declares(*record, kind, name)) continue;
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
    warn_of_unknown_settings(record.manifest, other_ids(&record));
    plugin::activate(record, owners_, options_.check);
    if (is_new) watch_exits(record.report.id, record.report.path);
  }

  std::vector<std::string> other_ids(const Record* record) const {
    std::vector<std::string> ids;
    for (const std::unique_ptr<Record>& other : records_) {
      if (other.get() != record && other->has_manifest()) ids.push_back(other->report.id);
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
    warn_of_unread_variables(other_ids(nullptr));
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
    if (first->get() == &record) {
      if (!record.report.disabled) settle_sole(record);
      return;
    }
    fail(record,
         fmt::format("the id {} of '{}' is taken by '{}', which comes first in the search",
                     record.report.id, record.report.path, (*first)->report.path),
         "remove one of the two files");
  }

  // Refuses the second plugin for a name that has one: which of the two it were would depend on
  // nothing that a user sees.
  void settle_sole(Record& record) {
    for (const InterfaceKind* kind : interface_kinds()) {
      if (kind->sole == nullptr || !is_of_kind(record, *kind)) continue;
      for (const std::string& name : declared_names(record, *kind)) {
        if (const Record* first = bearer_before(record, *kind, name)) {
          return refuse_second(record, *first, *kind, name);
        }
      }
    }
  }

  const Record* bearer_before(const Record& record, const InterfaceKind& kind,
                              const std::string& name) const {
    for (const std::unique_ptr<Record>& other : records_) {
      if (other.get() == &record) break;
      if (declares(*other, kind, name) && !other->report.disabled) return other.get();
    }
    return nullptr;
  }

  static void refuse_second(Record& record, const Record& first, const InterfaceKind& kind,
                            const std::string& name) {
    fail(record,
         fmt::format("{} of '{}' {} '{}' already, which comes first in the search", first.report.id,
                     first.report.path, kind.sole, name),
         fmt::format("remove one of the two files, or disable {}", first.report.id));
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
  NameOwners owners_;
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

std::vector<std::string> PluginManager::declared(const InterfaceKind& kind) {
  const std::lock_guard lock(impl_->mutex());
  std::set<std::string> names;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (!record->usable() || !is_of_kind(*record, kind)) continue;
    const std::vector<std::string>& own = declared_names(*record, kind);
    names.insert(own.begin(), own.end());
  }
  return {names.begin(), names.end()};
}

std::vector<const Contribution*> PluginManager::contributions(
    const InterfaceKind& kind, std::optional<std::string_view> name) {
  const std::lock_guard lock(impl_->mutex());
  impl_->activate(kind, name);
  std::vector<const Contribution*> result;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    if (!record->usable() || !declares(*record, kind, name)) continue;
    if (const Contribution* found = record->find(kind)) result.push_back(found);
  }
  return result;
}

std::string PluginManager::explain_missing(const InterfaceKind& kind,
                                           std::optional<std::string_view> name) {
  const std::lock_guard lock(impl_->mutex());
  // A plugin that failed for want of memory is tried again, and may have no reason to give then.
  std::string before = impl_->reasons_against(kind, name);
  impl_->activate(kind, name);
  std::string after = impl_->reasons_against(kind, name);
  return after.empty() ? before : after;
}

void PluginManager::unload(std::string_view id) {
  const std::lock_guard lock(impl_->mutex());
  std::vector<std::string> known;
  for (const std::unique_ptr<Record>& record : impl_->records()) {
    known.push_back(record->report.id);
    if (!record->has_manifest() || record->report.id != id) continue;
    Instance* instance = record->instance.get();
    for (const Taken& each : record->taken) {
      if (each.kind->pinned == nullptr || !record->usable()) continue;
      core::raise(ErrorCode::kFailed, "[plugin] {} {}; leave it out from the beginning", id,
                  each.kind->pinned);
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
