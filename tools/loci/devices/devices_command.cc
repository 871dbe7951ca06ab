#include <fmt/format.h>

#include <filesystem>
#include <loci/devices.hpp>
#include <loci/plugins.hpp>
#include <memory>
#include <system_error>

#include "tools/loci/devices/device_check.h"
#include "tools/loci/devices/device_survey.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/quantity.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

// A plugin whose devices are not on this machine, or that cannot be loaded.
struct Absent {
  std::string plugin;
  std::vector<std::string> types;
  std::string reason;
  std::string remedy = {};
};

void declare_devices_command(po::options_description& options) {
  declare_plugin_options(options);
  options.add_options()("json",
                        "print one JSON object: devices, each with place, name, arch, uuid, "
                        "driver, plugin, total_memory_bytes, free_memory_bytes, compute_units, "
                        "operators, capabilities, capturer or no_capturer, capturer_failed, error; "
                        "absent");
}

std::vector<Absent> find_absent(const Candidates& candidates) {
  std::vector<Absent> absent;
  for (const plugins::Candidate& candidate : candidates) {
    const std::string& name = candidate.id.empty() ? candidate.path : candidate.id;
    if (candidate.disabled) {
      absent.push_back({name, candidate.device_types, "disabled"});
    } else if (candidate.failed) {
      absent.push_back({name, candidate.device_types, candidate.cause, candidate.remedy});
    } else if (!candidate.unavailable.empty()) {
      absent.push_back({name, candidate.device_types, candidate.unavailable});
    }
  }
  return absent;
}

// A file that the user named has to work; after the list, which has the others.
void check_named(const std::vector<std::string>& files, const Candidates& candidates) {
  for (const plugins::Candidate& candidate : candidates) {
    if (!candidate.failed) continue;
    for (const std::string& file : files) {
      std::error_code error;
      if (std::filesystem::equivalent(file, candidate.path, error)) refuse_plugin(file, candidate);
    }
  }
}

std::string memory_text(const DeviceProperties& device) {
  if (device.total_memory == 0) return "unknown";
  const std::string total = bytes_text(device.total_memory);
  if (device.free_memory == 0) return total;
  return fmt::format("{}, {} free", total, bytes_text(device.free_memory));
}

std::string device_text(const CheckedDevice& device) {
  if (!device.error.empty())
    return fmt::format("{}\n  error         {}\n", device.place, device.error);
  const DeviceProperties& is = device.properties;
  std::string text = fmt::format("{}: {}\n", device.place, is.name);
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<13} {}\n", label, value);
  };
  add("memory", memory_text(is));
  add("arch", is.arch);
  add("units", is.compute_units == 0 ? "" : std::to_string(is.compute_units));
  add("capabilities", fmt::format("{}", fmt::join(capabilities(is), ", ")));
  add("operators", fmt::format("{} types have a kernel", is.operators));
  add("graphs", graphs_text(device));
  add("driver", is.driver);
  add("uuid", is.uuid);
  add("plugin", is.plugin);
  return text;
}

std::string absent_text(const std::vector<Absent>& absent) {
  std::string text;
  for (const Absent& plugin : absent) {
    text += fmt::format("absent: {}{} ({})\n", fmt::join(plugin.types, ", "),
                        plugin.types.empty() ? plugin.plugin : fmt::format(" of {}", plugin.plugin),
                        plugin.reason);
    if (!plugin.remedy.empty()) text += fmt::format("  {:<13} {}\n", "remedy", plugin.remedy);
  }
  return text.empty() ? text : "\n" + text;
}

Json listed_json(const CheckedDevice& device) { return device_json(device); }

Json listed_json(const Absent& absent) {
  return {{"plugin", absent.plugin},
          {"device_types", absent.types},
          {"reason", absent.reason},
          {"remedy", absent.remedy}};
}

template <class List>
Json device_list_json(const List& list) {
  Json entries = Json::array();
  for (const auto& entry : list) entries.push_back(listed_json(entry));
  return entries;
}

ExitCode run_devices_command(const po::variables_map& values) {
  const bool json = values.count("json") != 0;
  const std::shared_ptr<PluginProber> prober = apply_plugin_options(values, Probing::kBesides);
  std::vector<CheckedDevice> devices;
  const Candidates candidates =
      survey_devices(survey_options(values), prober.get(), {[&](const CheckedDevice& device) {
                       devices.push_back(device);
                       if (!json) print(device_text(device));
                     }});
  const std::vector<Absent> absent = find_absent(candidates);
  if (json) {
    print_json({{"devices", device_list_json(devices)}, {"absent", device_list_json(absent)}});
  } else {
    if (devices.empty()) print("no devices; 'loci plugins doctor' tells why\n");
    print(absent_text(absent));
  }
  check_named(texts(values, "plugin"), candidates);
  return ExitCode::kOk;
}

}  // namespace

Command devices_command() {
  Command command;
  command.name = "devices";
  command.summary = "Lists the devices that the plugins bring, and what they can do.";
  command.declare = declare_devices_command;
  command.notes =
      "Each device is opened, in a child process: a plugin that crashes, exits or takes longer "
      "than\n"
      "--probe-timeout in one of its functions is listed as absent with the reason, and the others "
      "are\n"
      "shown. 'operators' counts the types of operators that have a kernel there;\n"
      "'accelerator' devices are what the place gpu stands for; 'queued' ones work through "
      "streams,\n"
      "'inline' ones are done when a launch returns; 'graphs' says which plugin records graphs "
      "there,\n"
      "or why the host launches them op by op. A device that cannot be opened is listed with the "
      "error,\n"
      "and is no failure of the list.\n\n" +
      exit_code_help();
  command.run = run_devices_command;
  return command;
}

}  // namespace loci::runner
