#include "framework/executor/capture_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "framework/core/raise.h"
#include "framework/device_graph/capturer.h"
#include "framework/execution/capture_facts.h"
#include "framework/execution/capture_problems.h"
#include "framework/execution/continuation.h"
#include "framework/execution/device_control.h"
#include "framework/execution/operator_log.h"
#include "framework/executor/executor_impl.h"

namespace loci {
namespace executor {
namespace {

using execution::CaptureFacts;
using execution::CaptureProblem;
using execution::CoreCounts;
using execution::Instruction;
using execution::Plan;
using execution::RestProblem;
using execution::TransferStep;

constexpr const char* kNativeRemedy =
    "leave it out of the program, or let it be launched between graphs (GraphCapture::kAuto)";

bool is_feed(const Instruction& instruction) {
  const TransferStep* copy = instruction.transfer();
  return copy != nullptr && copy->labels.reason == transfer::Reason::kFeed;
}

CaptureProblem problem_of(const Plan& plan, std::size_t index, const device::Device& device,
                          bool has_capturer, Capturing capturing) {
  if (is_feed(plan.instructions[index])) return {index, {}, {}};
  const bool is_control = plan.instructions[index].control() != nullptr;
  if (is_control && capturing == Capturing::kExecutor &&
      device_control_refusal(plan, index).empty()) {
    return {index, {}, {}};
  }
  CaptureProblem problem = capture_problem(plan, index, device);
  if (!problem.reason.empty() || !has_capturer) return problem;
  return {index, record_refusal(plan, index), kNativeRemedy};
}

// Counts the branches of instructions [first, last), which are one graph.
std::uint64_t branches_of(const Plan& plan, std::size_t first, std::size_t last) {
  if (plan.forks == nullptr) return 1;
  const auto begin = plan.forks->branches.begin();
  return std::set<std::uint32_t>(begin + static_cast<std::ptrdiff_t>(first),
                                 begin + static_cast<std::ptrdiff_t>(last))
      .size();
}

inspect::CapturedPart tell(const Plan& plan, const CaptureFacts::Part& part) {
  const bool is_native = part.reason.empty();
  return {is_native, part.last - part.first, instruction_name(plan, part.first), part.reason,
          is_native ? branches_of(plan, part.first, part.last) : 1};
}

}  // namespace

void tell_cores(const Plan& plan, inspect::PlanCapture* told) {
  const CoreCounts::Told cores = plan.captures->cores.told();
  told->shared_launches = plan.core_forks->launches;
  told->pieces = plan.core_forks->segments;
  told->shared_runs = cores.forked_runs;
  told->plain_runs = cores.plain_runs;
  told->shared_ns = cores.forked_ns;
  told->plain_ns = cores.plain_ns;
}

std::vector<inspect::CapturedPart> captured_parts(const Plan& plan) {
  std::vector<inspect::CapturedPart> told;
  for (const CaptureFacts::Part& part : plan.captures->parts()) told.push_back(tell(plan, part));
  return told;
}

std::vector<inspect::CaptureProblem> capture_problems_of(const Plan& plan, device::Device& device,
                                                         Capturing capturing) {
  const bool has_capturer =
      core::in_context<device_graph::Capturers>().of(device).capturer != nullptr;
  std::vector<inspect::CaptureProblem> problems;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    CaptureProblem problem = problem_of(plan, i, device, has_capturer, capturing);
    if (problem.reason.empty()) continue;
    problems.push_back(
        {describe_instruction(plan, i), std::move(problem.reason), std::move(problem.remedy)});
  }
  for (RestProblem& each : rest_problems(plan)) {
    problems.push_back({std::move(each.op), std::move(each.reason), std::move(each.remedy)});
  }
  return problems;
}

std::vector<inspect::CaptureProblem> exchange_problems(const Feed& feed,
                                                       const std::vector<Fetch>& fetch) {
  std::vector<inspect::CaptureProblem> problems;
  if (!feed.empty()) {
    problems.push_back({fmt::format("Executor::run() feeds '{}'", feed.front().first),
                        "replays would read that tensor for ever",
                        "make the variable persistable, and set it in the scope before each "
                        "replay"});
  }
  if (!fetch.empty()) {
    problems.push_back({fmt::format("Executor::run() fetches '{}'", fetch.front().name()),
                        "nothing is computed meanwhile",
                        "make the variable persistable, and read it from the scope after each "
                        "replay"});
  }
  return problems;
}

void require_capturable(const Plan& plan, device::Device& device) {
  const std::vector<inspect::CaptureProblem> problems = capture_problems_of(plan, device);
  if (problems.empty()) return;
  const inspect::CaptureProblem& first = problems.front();
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("{} cannot be captured: {}; {}{}", first.op, first.reason, first.remedy,
                  problems.size() == 1 ? "" : fmt::format(" ({} more)", problems.size() - 1)),
      inspect::to_string(problems));
}

}  // namespace executor

inline namespace v0 {
namespace inspect {
std::vector<CaptureProblem> capture_problems(const Executor& executor, const Program& program,
                                             const Feed& feed, const std::vector<Fetch>& fetch) {
  return executor.impl()->capture_problems(program, feed, fetch);
}

std::string to_string(const std::vector<CaptureProblem>& problems) {
  std::string text;
  for (const CaptureProblem& problem : problems) {
    text += fmt::format("{}: {}; {}\n", problem.op, problem.reason, problem.remedy);
  }
  return text;
}

PlanCapture capture(const Executor& executor, const Program& program, const Feed& feed,
                    const std::vector<Fetch>& fetch) {
  const auto plan = executor.impl()->plan(program, feed, fetch);
  PlanCapture told;
  told.arena_bytes = execution::arena_bytes(*plan);
  if (plan->captures == nullptr) return told;
  told.parts = executor::captured_parts(*plan);
  const execution::CaptureFacts::Counts counts = plan->captures->counts();
  told.captures = counts.captures;
  told.replays = counts.replays;
  told.capture_ns = counts.capture_ns;
  told.bytes = counts.bytes;
  told.patches = counts.exchanges.patches;
  told.recaptures = counts.exchanges.recaptures;
  told.reinstantiations = counts.exchanges.reinstantiations;
  if (plan->core_forks != nullptr) executor::tell_cores(*plan, &told);
  return told;
}

namespace {

std::string cores_text(const PlanCapture& told) {
  const execution::CoreCounts::Told counts{told.shared_runs, told.plain_runs, told.shared_ns,
                                           told.plain_ns};
  return execution::cores_text(told.shared_launches, told.pieces, counts) + "\n";
}

}  // namespace

std::string PlanCapture::to_string() const {
  if (shared_launches > 0) return cores_text(*this);
  if (captures == 0) return "nothing is captured yet: the second run does that\n";
  std::uint64_t all = 0;
  std::uint64_t native = 0;
  std::uint64_t graphs = 0;
  std::uint64_t branches = 1;
  for (const CapturedPart& part : parts) {
    all += part.items;
    native += part.is_native ? part.items : 0;
    graphs += part.is_native ? 1 : 0;
    branches = std::max(branches, part.branches);
  }
  std::string text = fmt::format(
      "{} of {} launches and copies in {} graph{}, captured in {:.1f} us; {} bytes of "
      "graphs, {} of values; {} replays, {} addresses exchanged, {} captured again{}\n",
      native, all, graphs, graphs == 1 ? "" : "s", static_cast<double>(capture_ns) / 1000, bytes,
      arena_bytes, replays, patches, recaptures,
      branches == 1 ? "" : fmt::format("; up to {} launches run side by side", branches));
  for (const CapturedPart& part : parts) {
    if (part.is_native) continue;
    text += fmt::format("  {} launched by the host, from {} on: {}\n", part.items, part.first,
                        part.reason);
  }
  return text;
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
