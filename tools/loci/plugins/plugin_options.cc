#include "tools/loci/plugins/plugin_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <loci/plugins.hpp>
#include <optional>

#include "tools/loci/emulated_cuda.h"

namespace loci::runner {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// A file that the user named must not drop out in silence because another plugin can do the work.
// Each is inspected first, because the search logs its failures and the error shall come alone.
void check_named(const plugins::SearchOptions& search) {
  const std::vector<std::string>& disabled = search.disabled_ids;
  for (const std::string& file : search.files) {
    const plugins::Candidate candidate = plugins::inspect(file);
    if (candidate.failed && !contains(disabled, candidate.id)) refuse_plugin(file, candidate);
  }
  if (search.files.empty()) return;
  for (const plugins::Candidate& candidate : plugins::report()) {
    if (!candidate.failed || candidate.disabled) continue;
    for (const std::string& file : search.files) {
      std::error_code error;
      if (std::filesystem::equivalent(file, candidate.path, error)) refuse_plugin(file, candidate);
    }
  }
}

void check_probed(const std::vector<std::string>& files, const std::vector<std::string>& disabled,
                  PluginProber& prober) {
  for (const std::string& file : files) {
    plugins::Candidate candidate = plugins::inspect(file);
    if (contains(disabled, candidate.id)) continue;
    const ProbeResult result = prober.probe(candidate);
    if (result.outcome == ProbeResult::Outcome::kGood) continue;
    candidate.cause = result.refusal.cause;
    candidate.remedy = result.refusal.remedy;
    refuse_plugin(file, candidate);
  }
}

plugins::LoadCheck check_with(const std::shared_ptr<PluginProber>& prober) {
  if (prober == nullptr) return {};
  return [prober](const plugins::Candidate& candidate) -> std::optional<plugins::Refusal> {
    const ProbeResult result = prober->probe(candidate);
    if (result.outcome == ProbeResult::Outcome::kGood) return std::nullopt;
    return result.refusal;
  };
}

std::shared_ptr<PluginProber> search(const po::variables_map& values, Probing probing) {
  if (values.count("emulated-cuda") != 0) use_emulated_cuda();
  std::shared_ptr<PluginProber> prober = make_prober(values, probing);
  plugins::SearchOptions search;
  search.files = texts(values, "plugin");
  search.directories = texts(values, "plugin-path");
  search.disabled_ids = texts(values, "no-plugin");
  search.check = check_with(prober);
  in_phase(Phase::kDevices, [&] {
    plugins::configure(search);
    check_named(search);
  });
  return prober;
}

}  // namespace

void refuse_plugin(const std::string& file, const plugins::Candidate& candidate) {
  throw Failure(ExitCode::kNotAvailable,
                fmt::format("[--plugin] '{}' cannot be loaded: {}", file, candidate.cause),
                candidate.remedy);
}

void declare_plugin_options(po::options_description& options) {
  const auto list = [](const char* value_name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(value_name);
  };
  options.add_options()                                                                     //
      ("plugin-path", list("DIR"), "search this directory for plugins first (repeatable)")  //
      ("plugin", list("FILE"), "use this plugin, before any other (repeatable)")            //
      ("no-plugin", list("ID"), "leave out the plugin with this id (repeatable)")           //
      ("emulated-cuda",
       "CUDA without a GPU: kernels are interpreted on the processor, and checked; "
       "LOCI_CUDA_DOUBLE=checks=all,devices=2 sets it up");
  declare_probe_options(options);
}

std::shared_ptr<PluginProber> apply_plugin_options(const po::variables_map& values,
                                                   Probing probing) {
  std::shared_ptr<PluginProber> prober = search(values, probing);
  if (prober == nullptr) return nullptr;
  in_phase(Phase::kDevices,
           [&] { check_probed(texts(values, "plugin"), texts(values, "no-plugin"), *prober); });
  return prober;
}

std::shared_ptr<PluginProber> search_plugins(const po::variables_map& values, Probing probing) {
  return search(values, probing);
}

std::vector<std::string> texts(const po::variables_map& values, const std::string& option) {
  return values.count(option) == 0 ? std::vector<std::string>()
                                   : values[option].as<std::vector<std::string>>();
}

}  // namespace loci::runner
