#include "framework/plugin/loader.h"

#include <optional>
#include <utility>

#include "framework/core/log.h"
#include "framework/plugin/elf_note.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/interposition.h"
#include "framework/plugin/library.h"
#include "framework/plugin/negotiation.h"
#include "framework/plugin/requirements.h"
#include "framework/profiler/parts.h"

namespace loci::plugin {
namespace {

using core::Level;
using core::Module;
using plugins::Stage;

void reach(Record& record, Stage stage) {
  record.report.stage = stage;
  core::log(Module::kPlugin, Level::kDebug, "{}: {}", record.report.path,
            plugins::stage_name(stage));
}

void read_manifest(Record& record) {
  record.file = std::make_unique<PluginFile>(record.report.path);
  record.manifest = parse_manifest(read_manifest_note(record.file->descriptor()));
  record.report.id = record.manifest.id;
  record.report.version = record.manifest.version;
  record.report.kinds = record.manifest.kinds;
  record.report.device_types = record.manifest.device_types();
  record.report.build_id = read_build_id(record.file->descriptor());
  record.file->close();
}

const loci_plugin_desc* query(loci_plugin_query_fn function, const HostAbi& host) {
  if (function == nullptr) {
    throw LoadError(ErrorCode::kIncompatible,
                    "it does not export the function " LOCI_PLUGIN_QUERY_SYMBOL,
                    "build it with loci_add_plugin() and define that function");
  }
  const loci_host_info info = host_info(host);
  const loci_plugin_desc* desc =
      call_plugin(LOCI_PLUGIN_QUERY_SYMBOL, [&] { return function(&info); });
  if (desc == nullptr) {
    throw LoadError(ErrorCode::kIncompatible, "it says that it cannot work with this Loci",
                    "use a release of the plugin for this release of Loci");
  }
  return desc;
}

void ask(const plugins::LoadCheck& check, const plugins::Candidate& candidate) {
  if (!check) return;
  const std::optional<plugins::Refusal> refusal = check(candidate);
  if (refusal) throw LoadError(ErrorCode::kUnavailable, refusal->cause, refusal->remedy);
}

std::vector<Taken> take(Instance& instance, const Manifest& manifest, NameOwners& owners) {
  std::vector<Taken> taken;
  for (const InterfaceKind* kind : interface_kinds()) {
    if (kind->take == nullptr || !manifest.has_kind(kind->name)) continue;
    taken.push_back({kind, kind->take(instance, manifest)});
    if (kind->unique == nullptr) continue;
    owners.claim(*kind, taken.back().contribution->names(), manifest.id);
  }
  return taken;
}

void load(Record& record, NameOwners& owners) {
  const std::string& path = record.report.path;
  const CalledPlugin called(record.manifest.id);
  const HostAbi host = this_host();
  announce_call("load");
  record.file->require_unchanged();
  const Library library(path, record.manifest.needs);
  record.file->require_unchanged();
  reach(record, Stage::kMapped);

  const loci_plugin_desc* stated = interposed(path, query(library.query_function(), host));
  reach(record, Stage::kQueried);
  const loci_plugin_desc desc = negotiate(stated, record.manifest, host);
  reach(record, Stage::kNegotiated);

  auto instance = std::make_unique<Instance>(record.manifest.id, path, desc);
  reach(record, Stage::kCreated);
  std::vector<Taken> taken = take(*instance, record.manifest, owners);
  for (const Taken& each : taken) each.contribution->tell(record.report);
  record.taken = std::move(taken);
  record.instance = std::move(instance);
  reach(record, Stage::kActive);
}

void try_again(Record& record) {
  record.lacked_memory = false;
  record.report.failed = false;
  record.report.stage = Stage::kManifestOk;
  record.report.cause.clear();
  record.report.remedy.clear();
}

}  // namespace

const Contribution* Record::find(const InterfaceKind& kind) const {
  for (const Taken& each : taken) {
    if (each.kind == &kind) return each.contribution.get();
  }
  return nullptr;
}

void fail(Record& record, const std::string& cause, const std::string& remedy) {
  record.report.failed = true;
  record.report.cause = cause;
  record.report.remedy = remedy;
  core::log(Module::kPlugin, record.quiet ? Level::kDebug : Level::kWarn,
            "{} got no further than {}: {}; {}", record.report.path,
            plugins::stage_name(record.report.stage), cause, remedy);
}

void examine(Record& record) {
  attempt(record, [&record] {
    read_manifest(record);
    reach(record, Stage::kManifestOk);
    check_manifest_abi(record.manifest, this_host());
    check_isa(record.manifest);
    check_sanitizer(record.manifest);
  });
}

void activate(Record& record, NameOwners& owners, const plugins::LoadCheck& check) {
  if (record.lacked_memory) try_again(record);
  if (!record.usable() || record.report.stage == Stage::kActive) return;
  const profiler::Scope scope(label_of(profiler::Part::kLoadPlugin));
  try {
    attempt(record, [&] {
      ask(check, record.report);
      load(record, owners);
    });
  } catch (const std::bad_alloc&) {
    record.report.stage = Stage::kManifestOk;
    throw;
  }
  if (!record.lacked_memory) record.file.reset();
}

}  // namespace loci::plugin
