// The stages of one candidate.
#pragma once

#include <exception>
#include <loci/plugins.hpp>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/plugin/instance.h"
#include "framework/plugin/interface_kind.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/manifest.h"
#include "framework/plugin/name_owners.h"
#include "framework/plugin/plugin_file.h"

namespace loci::plugin {

// The contribution that one kind made from a plugin.
struct Taken {
  const InterfaceKind* kind;
  std::shared_ptr<const Contribution> contribution;
};

// A candidate with all that loading it made. Not thread-safe. Stays where it is: its tables refer
// to its instance.
struct Record {
  plugins::Candidate report;
  Manifest manifest;
  std::unique_ptr<PluginFile> file;  // as it was examined, until it is mapped
  std::unique_ptr<Instance> instance;
  std::vector<Taken> taken;
  bool lacked_memory = false;  // it failed for want of memory, and may not the next time
  bool quiet = false;  // the caller shows the report at once: a failure is not logged as well

  [[nodiscard]] bool has_manifest() const { return report.stage >= plugins::Stage::kManifestOk; }
  [[nodiscard]] bool usable() const { return !report.failed && !report.disabled; }
  // Null unless the plugin is of the kind and was activated.
  [[nodiscard]] const Contribution* find(const InterfaceKind& kind) const;
  template <class T>
  [[nodiscard]] const T* get(const Kind<T>& kind) const {
    return static_cast<const T*>(find(kind));
  }
};

// Both take a candidate as far as it goes. A failure stays in the report and is logged; nothing but
// std::bad_alloc is thrown.

// DISCOVERED to MANIFEST_OK, and all that can be checked without mapping the library.
void examine(Record& record);
// MANIFEST_OK to ACTIVE, unless `check` refuses it; nothing if it failed, is disabled or is active
// already. One that lacked memory is tried again. `owners` knows the names of all records.
void activate(Record& record, NameOwners& owners, const plugins::LoadCheck& check = {});

// Notes and logs a failure at the stage that was reached.
void fail(Record& record, const std::string& cause, const std::string& remedy);

// Does a part of the loading; what is thrown is the candidate's failure.
template <class Work>
void attempt(Record& record, Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const LoadError& error) {
    record.lacked_memory = error.code() == ErrorCode::kOutOfMemory;
    fail(record, error.cause(), error.remedy());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(record, error.what(), "see the cause");
  }
}

}  // namespace loci::plugin
