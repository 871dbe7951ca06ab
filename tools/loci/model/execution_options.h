// The options of the subcommands that compile a model.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <loci/place.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/model/feed_spec.h"
#include "tools/loci/model/fetch_spec.h"
#include "tools/loci/model/guard_spec.h"

namespace loci::runner {

struct ExecutionOptions {
  std::string model;
  Place device;
  std::vector<FeedSpec> feeds;
  std::vector<FetchSpec> fetches;
  std::vector<GuardSpec> guards;
  CompileOptions compile;
  std::optional<int> threads;
  std::uint64_t seed = 0;
};

void declare_execution_options(po::options_description& options);
// Throws Failure(kUsage).
ExecutionOptions read_execution_options(const po::variables_map& values);

// Sets the process up: threads, seed, plugins. Throws Failure.
void apply_execution_options(const ExecutionOptions& options, const po::variables_map& values);

// The value of a whole-number option in [low, high]. Throws Failure(kUsage).
std::uint64_t whole_number(const po::variables_map& values, const std::string& option,
                           std::uint64_t low, std::uint64_t high);

// How feeds are written, for --help.
std::string feed_help();

}  // namespace loci::runner
