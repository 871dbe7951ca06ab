#include "tools/loci/model/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <utility>

namespace loci::runner {
namespace {

using Targets = std::vector<Target>;

Targets data_targets(const Program& program) {
  Targets targets;
  for (const Variable& variable : inspect::data_variables(program)) {
    targets.push_back(target_of(variable));
  }
  return targets;
}

const Target* find(const Targets& targets, const std::string& name) {
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const Target& target) { return target.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

// One line a data variable: what it takes, and how it could be fed.
std::string describe(const Targets& targets) {
  std::string text = targets.empty() ? "The model takes no feeds.\n" : "The model takes:\n";
  for (const Target& target : targets) {
    text += fmt::format("  {} {}, such as --feed {}=random:{}\n", target.name,
                        type_text(target.dtype, target.shape), target.name,
                        fmt::join(with_ones(target.shape), "x"));
  }
  return text;
}

Variable find_variable(const Program& program, const std::string& name, const char* option) {
  try {
    return program.find(name);
  } catch (const Error& error) {
    throw Failure(ExitCode::kUsage, fmt::format("[--{}] {}", option, error.what()));
  }
}

Target feed_target(const Program& program, const Targets& data, const std::string& name) {
  if (const Target* target = find(data, name)) return *target;
  const Variable variable = find_variable(program, name, "feed");
  if (!variable.persistable()) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--feed] '{}' is computed by the model and cannot be fed", name),
                  describe(data));
  }
  return target_of(variable);
}

void refuse_missing(const std::vector<SessionFeed>& feeds, const Targets& data) {
  Targets missing;
  for (const Target& target : data) {
    const bool fed = std::any_of(feeds.begin(), feeds.end(),
                                 [&](const SessionFeed& feed) { return feed.name == target.name; });
    if (!fed) missing.push_back(target);
  }
  if (missing.empty()) return;
  throw Failure(ExitCode::kUsage,
                fmt::format("[--feed] the data variable '{}', {}, is not fed; feed it",
                            missing[0].name, type_text(missing[0].dtype, missing[0].shape)),
                describe(missing));
}

// The values do not matter, but must not be what the memory held before either.
Tensor zeros(const Target& target) {
  const Tensor tensor = Tensor::empty(with_ones(target.shape), target.dtype);
  std::fill_n(static_cast<char*>(tensor.raw_data()), tensor.bytes(), '\0');
  return tensor;
}

void feed_zeros(const Targets& data, std::vector<SessionFeed>* feeds) {
  for (const Target& target : data) {
    const bool fed = std::any_of(feeds->begin(), feeds->end(),
                                 [&](const SessionFeed& feed) { return feed.name == target.name; });
    if (!fed) feeds->push_back({target.name, zeros(target), {}, !target.shape.is_static()});
  }
}

std::vector<SessionFeed> make_feeds(const ExecutionOptions& options, const Program& program,
                                    MissingFeeds missing) {
  const Targets data = data_targets(program);
  Targets targets;
  std::vector<SessionFeed> feeds;
  for (const FeedSpec& spec : options.feeds) {
    targets.push_back(feed_target(program, data, spec.name));
    feeds.push_back({spec.name, {}, spec.text, false});
  }
  if (missing == MissingFeeds::kRefuse) refuse_missing(feeds, data);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    feeds[i].tensor = feed_tensor(options.feeds[i], targets[i], options.seed);
  }
  if (missing == MissingFeeds::kZeros) feed_zeros(data, &feeds);
  return feeds;
}

std::vector<FetchSpec> make_fetches(const ExecutionOptions& options, const Program& program) {
  std::vector<FetchSpec> fetches = options.fetches;
  for (const FetchSpec& fetch : fetches) (void)find_variable(program, fetch.name, "fetch");
  if (fetches.empty()) {
    for (const Variable& result : inspect::results(program)) fetches.push_back({result.name()});
  }
  return fetches;
}

void fill_scope(io::Model& model, Executor& executor) {
  // One at a time, so that the weights are not in memory twice.
  while (!model.weights.empty()) {
    const auto weight = model.weights.extract(model.weights.begin());
    executor.scope().set(weight.key(), weight.mapped());
  }
  if (!model.has_weights && model.startup) executor.run(*model.startup);
}

}  // namespace

Feed Session::feed() const {
  Feed feed;
  for (const SessionFeed& each : feeds) feed.emplace_back(each.name, each.tensor);
  return feed;
}

std::vector<Fetch> Session::fetch() const {
  std::vector<Fetch> fetch;
  for (const FetchSpec& each : fetches) fetch.emplace_back(each.name);
  return fetch;
}

Session open_session(const ExecutionOptions& options, MissingFeeds missing) {
  io::Model model = in_phase(Phase::kModel, [&] { return io::load_model(options.model); });
  apply_guards(options.guards, model);
  std::vector<FetchSpec> fetches = make_fetches(options, model.main);
  std::vector<SessionFeed> feeds = make_feeds(options, model.main, missing);
  check_outputs(fetches);
  Executor executor =
      in_phase(Phase::kDevices, [&] { return Executor(options.device, options.compile, Scope()); });
  in_phase(Phase::kRun, [&] { fill_scope(model, executor); });
  return {model.main, std::move(executor), std::move(feeds), std::move(fetches)};
}

}  // namespace loci::runner
