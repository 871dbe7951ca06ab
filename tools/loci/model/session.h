// A model made ready to run: loaded, with its parameters, feeds and fetches.
#pragma once

#include <loci/executor.hpp>
#include <loci/program.hpp>
#include <string>
#include <vector>

#include "tools/loci/model/execution_options.h"
#include "tools/loci/model/feed_tensor.h"

namespace loci::runner {

struct SessionFeed {
  std::string name;
  Tensor tensor;
  std::string source;    // as written after NAME=, empty if nothing was fed
  bool assumed = false;  // unknown extents were taken to be 1
};

struct Session {
  Program program;
  Executor executor;
  std::vector<SessionFeed> feeds;
  std::vector<FetchSpec> fetches;

  // Return feeds and fetches as the executor takes them.
  [[nodiscard]] Feed feed() const;
  [[nodiscard]] std::vector<Fetch> fetch() const;
};

// Says what happens with a data variable that no --feed names.
enum class MissingFeeds { kRefuse, kZeros };

// Loads the model, then checks names, then makes the feeds, and opens the device last. The weights
// go into a scope of the session's own; without weights the startup program runs. Throws Failure.
Session open_session(const ExecutionOptions& options, MissingFeeds missing);

}  // namespace loci::runner
