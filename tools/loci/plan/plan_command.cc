#include <fmt/format.h>

#include <algorithm>
#include <loci/inspect.hpp>
#include <string>
#include <vector>

#include "tools/loci/model/session.h"
#include "tools/loci/model/tensor_json.h"
#include "tools/loci/output.h"
#include "tools/loci/run/capture_report.h"
#include "tools/loci/subcommands.h"
#include "tools/loci/text_table.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

void declare_plan_command(po::options_description& options) {
  declare_execution_options(options);
  options.add_options()("json",
                        "print one JSON object: model, device, feeds, operators, deferred, packed, "
                        "replicated, laid_out, transfers, "
                        "arena_bytes, live_bytes, unshared_bytes, capture_problems");
}

std::string feeds_text(const Session& session) {
  std::string text;
  for (const SessionFeed& feed : session.feeds) {
    text += fmt::format("feed {} {}{}\n", feed.name,
                        type_text(feed.tensor.dtype(), feed.tensor.shape()),
                        feed.assumed ? " (unknown extents taken as 1; --feed gives others)" : "");
  }
  return text;
}

// Returns true if anything runs beside something else.
bool has_streams(const inspect::Plan& plan) {
  const auto besides = [](const auto& planned) {
    return planned.stream != 0 || !planned.waits_for.empty();
  };
  return std::any_of(plan.operators.begin(), plan.operators.end(), besides) ||
         std::any_of(plan.transfers.begin(), plan.transfers.end(), besides);
}

// Columns of what runs in a stream.
template <class Planned>
void add_stream(const Planned& planned, std::vector<std::string>* row) {
  row->push_back(std::to_string(planned.stream));
  row->push_back(fmt::format("{}", fmt::join(planned.waits_for, ", ")));
}

std::string operators_text(const inspect::Plan& plan) {
  const bool streams = has_streams(plan);
  std::vector<std::string> header{"operator", "type", "place", "reason", "kernel"};
  if (streams) header.insert(header.end(), {"stream", "waits for"});
  TextTable table(header);
  for (const inspect::PlannedOperator& op : plan.operators) {
    std::vector<std::string> row{op.name, op.type, op.place, op.reason, op.kernel};
    if (streams) add_stream(op, &row);
    table.add(row);
    if (!op.detail.empty()) table.add_note(op.detail);
  }
  return table.to_string();
}

// Lists the operators that only a run can compile; most models have none.
std::string deferred_text(const inspect::Plan& plan) {
  if (plan.deferred.empty()) return {};
  TextTable table({"operator", "type", "waits for"});
  for (const inspect::DeferredOperator& op : plan.deferred) {
    table.add({op.name, op.type,
               op.waits_for.empty() ? "the operators before it"
                                    : fmt::format("{}", fmt::join(op.waits_for, ", "))});
  }
  return fmt::format(
      "\nfurther operators are compiled once the values are known that their "
      "shapes hang on:\n{}",
      table.to_string());
}

// Nothing where every kernel reads its constants as they are.
std::string packed_text(const inspect::Plan& plan) {
  if (plan.packed.empty()) return {};
  TextTable table({"constant", "place", "bytes", "for", "layout"});
  for (const inspect::PackedConstant& packed : plan.packed) {
    table.add({packed.variable, packed.place, std::to_string(packed.bytes), packed.consumer,
               packed.layout});
  }
  return fmt::format("packed once for their kernels:\n{}\n", table.to_string());
}

// Nothing where every constant is read at one place.
std::string replicated_text(const inspect::Plan& plan) {
  if (plan.replicated.empty()) return {};
  TextTable table({"constant", "place", "bytes", "for"});
  for (const inspect::ReplicatedConstant& constant : plan.replicated) {
    table.add(
        {constant.variable, constant.place, std::to_string(constant.bytes), constant.consumer});
  }
  return fmt::format("kept at a further place, and copied there only once they change:\n{}\n",
                     table.to_string());
}

// Nothing where every value lies as its shape says.
std::string laid_out_text(const inspect::Plan& plan) {
  if (plan.laid_out.empty()) return {};
  TextTable table({"value", "place", "bytes", "written by", "layout"});
  for (const inspect::LaidOutValue& value : plan.laid_out) {
    table.add(
        {value.variable, value.place, std::to_string(value.bytes), value.producer, value.layout});
  }
  return fmt::format("laid out as the kernels that write and read them like:\n{}\n",
                     table.to_string());
}

std::string transfers_text(const inspect::Plan& plan) {
  if (plan.transfers.empty()) return "no transfers besides feed and fetch\n";
  const bool streams = has_streams(plan);
  std::vector<std::string> header{"transfer", "from",     "to",       "bytes",
                                  "reason",   "producer", "consumer", "waits"};
  if (streams) header.insert(header.end(), {"stream", "waits for"});
  TextTable table(header);
  for (const inspect::PlannedTransfer& copy : plan.transfers) {
    std::vector<std::string> row{
        copy.variable, copy.from,     copy.to,       std::to_string(copy.bytes),
        copy.reason,   copy.producer, copy.consumer, copy.synchronous ? "yes" : "no"};
    if (streams) add_stream(copy, &row);
    table.add(row);
  }
  return table.to_string();
}

std::string report_text(const Session& session, const inspect::Plan& plan) {
  return fmt::format(
      "device {}\n{}\n{}{}\n{}{}{}{}\nmemory for intermediate values: {} bytes ({} alive at "
      "one time, {} if none were shared)"
      "{}\n",
      session.executor.place().to_string(), feeds_text(session), operators_text(plan),
      deferred_text(plan), packed_text(plan), replicated_text(plan), laid_out_text(plan),
      transfers_text(plan), plan.arena_bytes, plan.live_bytes, plan.unshared_bytes,
      plan.deferred.empty() ? "" : ", without that of the further operators");
}

Json assumed_feeds_json(const Session& session) {
  Json feeds = Json::array();
  for (const SessionFeed& feed : session.feeds) {
    Json entry{{"name", feed.name}};
    entry.update(type_json(feed.tensor.dtype(), feed.tensor.shape()));
    entry["assumed"] = feed.assumed;
    feeds.push_back(std::move(entry));
  }
  return feeds;
}

Json operators_json(const inspect::Plan& plan) {
  Json operators = Json::array();
  for (const inspect::PlannedOperator& op : plan.operators) {
    operators.push_back({{"name", op.name},
                         {"type", op.type},
                         {"place", op.place},
                         {"reason", op.reason},
                         {"detail", op.detail},
                         {"kernel", op.kernel},
                         {"stream", op.stream},
                         {"waits_for", op.waits_for}});
  }
  return operators;
}

Json deferred_json(const inspect::Plan& plan) {
  Json deferred = Json::array();
  for (const inspect::DeferredOperator& op : plan.deferred) {
    deferred.push_back({{"name", op.name}, {"type", op.type}, {"waits_for", op.waits_for}});
  }
  return deferred;
}

Json packed_json(const inspect::Plan& plan) {
  Json constants = Json::array();
  for (const inspect::PackedConstant& packed : plan.packed) {
    constants.push_back({{"variable", packed.variable},
                         {"consumer", packed.consumer},
                         {"place", packed.place},
                         {"layout", packed.layout},
                         {"bytes", packed.bytes}});
  }
  return constants;
}

Json replicated_json(const inspect::Plan& plan) {
  Json constants = Json::array();
  for (const inspect::ReplicatedConstant& constant : plan.replicated) {
    constants.push_back({{"variable", constant.variable},
                         {"consumer", constant.consumer},
                         {"place", constant.place},
                         {"bytes", constant.bytes}});
  }
  return constants;
}

Json laid_out_json(const inspect::Plan& plan) {
  Json values = Json::array();
  for (const inspect::LaidOutValue& value : plan.laid_out) {
    values.push_back({{"variable", value.variable},
                      {"producer", value.producer},
                      {"place", value.place},
                      {"layout", value.layout},
                      {"bytes", value.bytes}});
  }
  return values;
}

Json transfers_json(const inspect::Plan& plan) {
  Json transfers = Json::array();
  for (const inspect::PlannedTransfer& copy : plan.transfers) {
    transfers.push_back({{"variable", copy.variable},
                         {"producer", copy.producer},
                         {"consumer", copy.consumer},
                         {"from", copy.from},
                         {"to", copy.to},
                         {"reason", copy.reason},
                         {"bytes", copy.bytes},
                         {"synchronous", copy.synchronous},
                         {"stream", copy.stream},
                         {"waits_for", copy.waits_for}});
  }
  return transfers;
}

Json report_json(const ExecutionOptions& options, const Session& session,
                 const inspect::Plan& plan) {
  return {{"model", options.model},
          {"device", session.executor.place().to_string()},
          {"feeds", assumed_feeds_json(session)},
          {"operators", operators_json(plan)},
          {"deferred", deferred_json(plan)},
          {"packed", packed_json(plan)},
          {"replicated", replicated_json(plan)},
          {"laid_out", laid_out_json(plan)},
          {"transfers", transfers_json(plan)},
          {"arena_bytes", plan.arena_bytes},
          {"live_bytes", plan.live_bytes},
          {"unshared_bytes", plan.unshared_bytes},
          {"capture_problems", problems_json(session, options.compile.capture)}};
}

ExitCode run_plan_command(const po::variables_map& values) {
  const ExecutionOptions options = read_execution_options(values);
  refuse_outputs(options.fetches, "a plan computes nothing to write");
  apply_execution_options(options, values);
  const Session session = open_session(options, MissingFeeds::kZeros);
  const inspect::Plan plan = in_phase(Phase::kRun, [&] {
    return inspect::plan(session.executor, session.program, session.feed(), session.fetch());
  });
  if (values.count("json") != 0) {
    print_json(report_json(options, session, plan));
  } else {
    print(report_text(session, plan) + problems_text(session, options.compile.capture));
  }
  return ExitCode::kOk;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.summary = "Shows where each operator of a model would run, and why, and what is copied.";
  command.positionals = {{"model", "MODEL"}};
  command.declare = declare_plan_command;
  command.notes =
      "MODEL is a program directory. The model is compiled, not run; without weights in it, its\n"
      "startup program runs first. Only the shapes of feeds matter; what is not fed has the\n"
      "variable's shape, with 1 for unknown extents. Operators whose shapes hang on values are\n"
      "listed with what they wait for: only a run can compile them.\n\n" +
      feed_help() + "\n" + exit_code_help();
  command.run = run_plan_command;
  return command;
}

}  // namespace loci::runner
