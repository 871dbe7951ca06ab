// gpu-suite: every CUDA test and benchmark of Loci, in one run. See --help.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <loci/version.hpp>
#include <stdexcept>

#include "tests/gpu_suite/installation.h"
#include "tests/gpu_suite/options.h"
#include "tests/gpu_suite/report.h"
#include "tests/gpu_suite/run_steps.h"
#include "tests/gpu_suite/step_keeper.h"
#include "tests/gpu_suite/steps.h"
#include "tools/loci/child_process.h"

namespace loci::gpu_suite {
namespace {

namespace fs = std::filesystem;

enum ExitCode { kOk = 0, kFailed = 1, kUsage = 2, kNoDevice = 4 };

// Thrown where there is nothing to run on.
class NoDevice : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_double(const nlohmann::json& device) {
  return device.value("name", "").find("(emulated)") != std::string::npos;
}

// Returns what the runner says of cuda:0.
nlohmann::json find_device(const Plan& plan) {
  const runner::ChildResult listed =
      runner::run_child({.arguments = {plan.installation.program("loci"), "devices", "--json"},
                         .limit = std::chrono::seconds(120),
                         .environment = suite_environment(plan)});
  if (!listed.succeeded()) {
    throw NoDevice("`loci devices` " + runner::describe_end(listed) + "\n" + listed.err);
  }
  const auto report = nlohmann::json::parse(listed.out);
  for (const auto& device : report.at("devices")) {
    if (device.value("place", "") == "cuda:0") return device;
  }
  throw NoDevice("there is no CUDA device; `loci plugins --probe` says why\n" + listed.out);
}

nlohmann::json require_device(const Plan& plan) {
  nlohmann::json device = find_device(plan);
  if (is_double(device) && !plan.emulated) {
    throw std::invalid_argument(
        "LOCI_CUDA_DRIVER names the double of the driver; --emulated says so in the report");
  }
  return device;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void print_line(const StepResult& result) {
  std::fputs(line_of(result).c_str(), stdout);
  std::fflush(stdout);
}

std::vector<Step> wanted_steps(const Plan& plan, const Options& options) {
  std::vector<Step> steps = all_steps(plan);
  std::erase_if(steps, [&](const Step& step) { return !is_wanted(options, step.name); });
  if (steps.empty()) {
    throw std::invalid_argument("--only " + options.only + ": there is no such step");
  }
  return steps;
}

int run(const Options& options) {
  const Installation installation = options.root.empty() ? Installation::of_this_program()
                                                         : Installation(fs::absolute(options.root));
  const fs::path output = fs::absolute(options.output);
  const Plan plan{installation, options.emulated, options.quick, output / "scratch",
                  output / "logs"};
  const std::vector<Step> steps = wanted_steps(plan, options);
  if (options.list) {
    for (const Step& step : steps) fmt::print("{}\n", step.name);
    return kOk;
  }
  SuiteReport report{
      std::string(version()), options.emulated, options.quick, require_device(plan), {}};
  fs::create_directories(plan.scratch);
  fs::create_directories(plan.logs);
  report.steps =
      run_steps(steps, {plan.logs, suite_environment(plan), options.emulated, keeper_words()},
                options.jobs, print_line);
  write_file(output / "report.json", report.to_json().dump(2) + "\n");
  write_file(output / "report.txt", report.to_text());
  fmt::print("{} passed, {} failed, {} skipped; {}\n", report.count(Outcome::kPassed),
             report.count(Outcome::kFailed), report.count(Outcome::kSkipped),
             (output / "report.txt").string());
  return report.count(Outcome::kFailed) == 0 ? kOk : kFailed;
}

int fail(int code, const std::string& message) {
  fmt::print(stderr, "gpu-suite: {}\n", message);
  return code;
}

}  // namespace
}  // namespace loci::gpu_suite

int main(int argc, char** argv) {
  using namespace loci::gpu_suite;
  try {
    if (const auto code = keep_step(argc, argv)) return *code;
    const Options options = parse_options(argc, argv);
    if (options.help) {
      fmt::print("{}", kUsageText);
      return kOk;
    }
    return run(options);
  } catch (const NoDevice& error) {
    return fail(kNoDevice, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(kUsage, std::string(error.what()) + "; see --help");
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
