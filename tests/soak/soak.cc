// Threads at many places, with the profiler on and off and with devices that fail: every result has
// its bits or there is an error, errors come while devices fail only, memory stays flat, and nobody
// waits for ever, also where threads are stopped anywhere. See tools/soak.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <loci/plugins.hpp>
#include <loci/profiler.hpp>
#include <optional>
#include <random>
#include <thread>

#include "framework/core/config.h"
#include "tests/soak/faults.h"
#include "tests/soak/memory.h"
#include "tests/soak/scenario.h"
#include "tests/soak/tally.h"
#include "tests/soak/watch.h"
#include "tests/support/delays.h"
#include "tests/support/paths.h"

namespace loci::soak {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

struct Options {
  double minutes = 1;
  unsigned threads = 4;
  std::uint64_t seed = 1;
  std::string only;  // scenarios whose names have it
  unsigned patience = 120;
};

struct Phase {
  const char* name;
  bool is_profiled;
  bool has_faults;
  bool has_delays;
};
constexpr Phase kPhases[] = {{"plain", false, false, false},
                             {"profiled", true, false, false},
                             {"delayed", false, false, true},
                             {"failing", false, true, false},
                             {"profiled and failing", true, true, false},
                             {"delayed and failing", false, true, true}};
constexpr std::chrono::milliseconds kPhase{2'500};

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  po::options_description description("usage: tools/soak [OPTION...]");
  auto add = description.add_options();
  add("help,h", "prints this");
  add("minutes", po::value(&options.minutes)->default_value(1), "how long it runs");
  add("threads", po::value(&options.threads)->default_value(4), "that work at the same time");
  add("seed", po::value(&options.seed)->default_value(1), "of what runs and fails when");
  add("patience", po::value(&options.patience)->default_value(120),
      "seconds after which what does not end is named, and the program ends with exit code 3");
  add("only", po::value(&options.only), "scenarios whose names contain this");
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, description), values);
  po::notify(values);
  if (values.count("help") == 0) return options;
  std::cout << description;
  return std::nullopt;
}

class Soak {
 public:
  Soak(const Options& options, const std::string& directory)
      : options_(options), directory_(directory), scenarios_(make_scenarios(places_, directory)) {
    scenarios_.erase(std::remove_if(scenarios_.begin(), scenarios_.end(),
                                    [&](const Scenario& each) {
                                      return each.name.find(options.only) == std::string::npos;
                                    }),
                     scenarios_.end());
    if (scenarios_.empty()) throw std::runtime_error("no scenario has the name " + options.only);
    for (const Scenario& scenario : scenarios_) expected_.push_back(scenario.run());
  }

  // Returns true if all was as it should be.
  bool run() {
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(options_.minutes * 60));
    do {
      for (const Phase& phase : kPhases) run_phase(phase);
      memory_.sample();
      print_progress();
    } while (Clock::now() < end);
    return judge();
  }

 private:
  void run_phase(const Phase& phase) {
    const std::string name = fmt::format("the phase '{}' and what it leaves", phase.name);
    const Watch::Doing doing(watch_, name);
    std::optional<Profiler> profiler;
    if (phase.is_profiled) profiler.emplace(profile_options());
    {
      std::optional<Faults> faults;
      if (phase.has_faults) faults.emplace(devices_, options_.seed + round_);
      std::optional<test::Delays> delays;
      if (phase.has_delays) delays.emplace(options_.seed + round_);
      work(phase.has_faults ? failing_ : sound_);
    }
    settle();
  }

  [[nodiscard]] ProfilerOptions profile_options() const {
    ProfilerOptions options;
    options.no_reporter().profile_path((fs::path(directory_) / "profile").string());
    return options;
  }

  // Threads of this phase alone, so that threads end too.
  void work(Tally& tally) {
    const Clock::time_point end = Clock::now() + kPhase;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.threads; ++i) {
      threads.emplace_back([this, &tally, end, seed = options_.seed * 7919 + round_++] {
        std::mt19937_64 random(seed);
        while (Clock::now() < end) run_one(random() % scenarios_.size(), tally);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void run_one(std::size_t index, Tally& tally) {
    const Scenario& scenario = scenarios_[index];
    const Watch::Doing doing(watch_, scenario.name);
    try {
      const std::vector<float> found = scenario.run();
      const std::vector<float>& expected = expected_[index];
      const bool is_right =
          found.size() == expected.size() &&
          std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0;
      is_right ? tally.add_right() : tally.add_wrong(scenario.name);
    } catch (const std::exception& error) {
      tally.add_failed(scenario.name + ": " + error.what());
    }
  }

  // Failures in results that nobody has read are told here.
  static void settle() {
    for (int i = 0; i < 100; ++i) {
      try {
        synchronize();
        return;
      } catch (const Error&) {
        continue;
      }
    }
  }

  void print_progress() const {
    const Tally::Counts sound = sound_.counts();
    const Tally::Counts failing = failing_.counts();
    std::cout << fmt::format("soak: right {}, with failing devices {} and {} errors; {}\n",
                             sound.right, failing.right, failing.failed, memory_.report())
              << std::flush;
  }

  [[nodiscard]] bool judge() const {
    bool is_good = true;
    const auto require = [&](bool holds, const std::string& what) {
      if (holds) return;
      is_good = false;
      std::cout << "soak: " << what << "\n";
    };
    const Tally::Counts sound = sound_.counts();
    const Tally::Counts failing = failing_.counts();
    require(sound.wrong == 0 && sound.failed == 0,
            fmt::format("{} wrong results and {} errors without a failing device:\n{}", sound.wrong,
                        sound.failed, sound_.examples()));
    require(failing.wrong == 0, fmt::format("{} wrong results with failing devices:\n{}",
                                            failing.wrong, failing_.examples()));
    require(sound.right > 0 && failing.right > 0, "nothing came right");
    require(failing.failed > 0, "no failure was noticed, of many that were planted");
    require(memory_.is_flat(), "memory grows; " + memory_.report());
    std::cout << (is_good ? "soak: passed\n" : "soak: failed\n");
    return is_good;
  }

  Options options_;
  std::string directory_;
  std::vector<Place> places_{"cpu", "sim:0", "sim:1"};
  std::vector<Place> devices_{"sim:0", "sim:1"};
  std::vector<Scenario> scenarios_;
  std::vector<std::vector<float>> expected_;
  std::uint64_t round_ = 0;
  Tally sound_;
  Tally failing_;
  MemoryUse memory_;
  Watch watch_{std::chrono::seconds(options_.patience), &end_hung};
};

int run(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) return 0;
  MemoryUse::use_one_arena();
  core::set_config_value("SIM", "devices=2");
  plugins::SearchOptions search;
  search.directories = {test::plugin_directory()};
  plugins::configure(search);
  std::string directory = (fs::temp_directory_path() / "loci-soak-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) throw std::runtime_error("no directory for files");
  const bool is_good = Soak(*options, directory).run();
  fs::remove_all(directory);
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace loci::soak

int main(int argc, char** argv) {
  try {
    return loci::soak::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "soak: " << error.what() << "\n";
    return 2;
  }
}
