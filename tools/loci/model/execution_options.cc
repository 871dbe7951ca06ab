#include "tools/loci/model/execution_options.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <loci/settings.hpp>
#include <set>

#include "tools/loci/model/pass_options.h"
#include "tools/loci/plugins/plugin_options.h"

namespace loci::runner {
namespace {

po::typed_value<std::string>* text(const char* value_name) {
  return po::value<std::string>()->value_name(value_name);
}

po::typed_value<std::vector<std::string>>* list(const char* value_name) {
  return po::value<std::vector<std::string>>()->composing()->value_name(value_name);
}

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& known) {
  throw Failure(ExitCode::kUsage,
                fmt::format("[--{}] '{}' is not one of {}", option, value, known));
}

GraphCapture read_capture(const po::variables_map& values) {
  const auto& mode = values["capture"].as<std::string>();
  if (mode == "off") return GraphCapture::kOff;
  if (mode == "auto") return GraphCapture::kAuto;
  if (mode == "on") return GraphCapture::kRequired;
  refuse("capture", mode, "off, auto, on");
}

CompileOptions read_compile_options(const po::variables_map& values) {
  CompileOptions options;
  if (values.count("optimize") != 0) {
    const auto& level = values["optimize"].as<std::string>();
    if (level == "none") {
      options = CompileOptions::none();
    } else if (level == "exact") {
      options = CompileOptions::exact();
    } else if (level != "default") {
      refuse("optimize", level, "none, exact, default");
    }
  }
  options.disabled_passes = texts(values, "no-pass");
  for (const std::string& name : options.disabled_passes) check_pass("no-pass", name);
  if (values.count("capture") != 0) options.capture = read_capture(values);
  if (values.count("fallback") != 0) {
    const auto& policy = values["fallback"].as<std::string>();
    if (policy == "error") {
      options.fallback = FallbackPolicy::kError;
    } else if (policy == "warn") {
      options.fallback = FallbackPolicy::kWarn;
    } else if (policy == "allow") {
      options.fallback = FallbackPolicy::kAllow;
    } else {
      refuse("fallback", policy, "error, warn, allow");
    }
  }
  return options;
}

// A name given twice would be fed or printed twice; more likely one of them is a slip.
template <class Specs>
void check_names(const Specs& specs, const char* option) {
  std::set<std::string> seen;
  for (const auto& spec : specs) {
    if (!seen.insert(spec.name).second) {
      throw Failure(ExitCode::kUsage,
                    fmt::format("[--{}] '{}' is given twice; leave one", option, spec.name));
    }
  }
}

// LOCI_SYNC_TIMEOUT takes as many seconds at most.
constexpr std::uint64_t kMostSyncSeconds = 86'400;

}  // namespace

void declare_execution_options(po::options_description& options) {
  options.add_options()                                                                     //
      ("device", text("P"), "where operators run: cpu (the default), cuda:0, gpu, ...")     //
      ("feed", list("NAME=VALUE"), "the value of a data variable, see below (repeatable)")  //
      ("fetch", list("NAME[=@F]"),
       "a variable to return, printed or written to F.npy or F.npz[:ARRAY], which several may "
       "share; "
       "by default all results of the model (repeatable)")  //
      ("optimize", text("LEVEL"),
       "none: every operator as written; exact: results keep their "
       "bits; default: each within its documented bound")            //
      ("no-pass", list("NAME"), "leave out this pass (repeatable)")  //
      ("guard", list("REGEX=PLACE"),
       "operators whose whole name, type or output variable matches (in RE2's syntax) run there, "
       "over the program's own guards; the last that matches wins (repeatable)")  //
      ("fallback", text("error|warn|allow"),
       "for an operator without a kernel at the device; warn is the default")  //
      ("capture", text("off|auto|on"),
       "launch the model as graphs of its device's own, captured in the second run: auto, what can "
       "be captured; on, all of it or an error with each reason; off is the default")  //
      ("threads", text("N"), "how many threads run kernels")                           //
      ("sync-timeout", text("SECONDS"),
       "how long to wait for a device before it counts as lost, which makes copies from and to the "
       "host wait; 0, the default: for ever (LOCI_SYNC_TIMEOUT)")  //
      ("seed", text("N"), "for random operators and random feeds; 0 by default");
  declare_plugin_options(options);
}

ExecutionOptions read_execution_options(const po::variables_map& values) {
  ExecutionOptions options;
  options.model = values["model"].as<std::string>();
  if (values.count("device") != 0) {
    options.device =
        in_phase(Phase::kOptions, [&] { return Place(values["device"].as<std::string>()); });
  }
  for (const std::string& feed : texts(values, "feed")) {
    for (FeedSpec& spec : parse_feeds(feed)) options.feeds.push_back(std::move(spec));
  }
  for (const std::string& fetch : texts(values, "fetch")) {
    options.fetches.push_back(parse_fetch(fetch));
  }
  check_names(options.feeds, "feed");
  check_names(options.fetches, "fetch");
  for (const std::string& guard : texts(values, "guard")) {
    options.guards.push_back(parse_guard(guard));
  }
  options.compile = read_compile_options(values);
  if (values.count("threads") != 0) {
    options.threads = static_cast<int>(whole_number(values, "threads", 1, 4096));
  }
  if (values.count("seed") != 0) {
    options.seed = whole_number(values, "seed", 0, std::numeric_limits<std::uint64_t>::max());
  }
  return options;
}

void apply_execution_options(const ExecutionOptions& options, const po::variables_map& values) {
  in_phase(Phase::kOptions, [&] {
    if (options.threads) config::set_threads(*options.threads);
    if (values.count("seed") != 0) config::set_seed(options.seed);
    if (values.count("sync-timeout") != 0) {
      config::set("SYNC_TIMEOUT",
                  std::to_string(whole_number(values, "sync-timeout", 0, kMostSyncSeconds)));
    }
  });
  apply_plugin_options(values);
}

std::uint64_t whole_number(const po::variables_map& values, const std::string& option,
                           std::uint64_t low, std::uint64_t high) {
  const auto& given = values[option].as<std::string>();
  std::uint64_t number = 0;
  const char* end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high) {
    throw Failure(ExitCode::kUsage, fmt::format("[--{}] '{}' is not a whole number from {} to {}",
                                                option, given, low, high));
  }
  return number;
}

std::string feed_help() {
  return "Feeds:\n"
         "  NAME=@F.npy                       the array in the file, of the variable's dtype\n"
         "  NAME=@F.npz[:ARRAY]               this array of an archive; ARRAY is NAME by default\n"
         "  @F.npz                            all arrays of an archive, by their names\n"
         "                                    F may be a pipe, or - for standard input, which "
         "says\n"
         "                                    itself whether it is an array or an archive\n"
         "  NAME=random[:SHAPE[:LOW:HIGH]]    uniform, SHAPE as in 8x1x8x8; an empty SHAPE is the\n"
         "                                    variable's, which must then have no unknown extent;\n"
         "                                    0:1 by default, for integers the whole numbers of\n"
         "                                    [LOW, HIGH), 0:2 by default\n"
         "  NAME=VALUE                        this number in every element; unknown extents are "
         "1\n";
}

}  // namespace loci::runner
