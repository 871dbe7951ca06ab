#include "tools/loci/run/capture_report.h"

#include <fmt/format.h>

#include <loci/inspect.hpp>
#include <vector>

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

inspect::PlanCapture capture_of(const Session& session) {
  return inspect::capture(session.executor, session.program, session.feed(), session.fetch());
}

std::vector<inspect::CaptureProblem> problems_of(const Session& session) {
  return inspect::capture_problems(session.executor, session.program, session.feed(),
                                   session.fetch());
}

}  // namespace

RunCounts capturing(RunCounts defaults, GraphCapture capture) {
  if (capture != GraphCapture::kOff && defaults.warmup < 2) defaults.warmup = 2;
  return defaults;
}

void require_capturable(const Session& session, GraphCapture capture) {
  if (capture != GraphCapture::kRequired) return;
  const std::vector<inspect::CaptureProblem> problems = problems_of(session);
  if (problems.empty()) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("[--capture] {} part{} of the model cannot be captured; --capture auto "
                          "captures the rest",
                          problems.size(), problems.size() == 1 ? "" : "s"),
              inspect::to_string(problems));
}

std::string problems_text(const Session& session, GraphCapture capture) {
  if (capture == GraphCapture::kOff) return {};
  const std::string problems = inspect::to_string(problems_of(session));
  if (problems.empty()) return "\ncapture: all of it can be one graph\n";
  return "\ncapture: what could not be part of one graph\n" + problems;
}

Json problems_json(const Session& session, GraphCapture capture) {
  if (capture == GraphCapture::kOff) return {};
  Json problems = Json::array();
  for (const inspect::CaptureProblem& problem : problems_of(session)) {
    problems.push_back(
        {{"op", problem.op}, {"reason", problem.reason}, {"remedy", problem.remedy}});
  }
  return problems;
}

std::string capture_text(const Session& session, GraphCapture capture) {
  if (capture == GraphCapture::kOff) return {};
  return "capture: " + capture_of(session).to_string();
}

Json capture_json(const Session& session, GraphCapture capture) {
  if (capture == GraphCapture::kOff) return {};
  const inspect::PlanCapture told = capture_of(session);
  Json parts = Json::array();
  for (const inspect::CapturedPart& part : told.parts) {
    parts.push_back({{"native", part.is_native},
                     {"items", part.items},
                     {"first", part.first},
                     {"branches", part.branches},
                     {"reason", part.is_native ? Json() : Json(part.reason)}});
  }
  return {{"parts", std::move(parts)},
          {"captures", told.captures},
          {"replays", told.replays},
          {"capture_us", static_cast<double>(told.capture_ns) / 1000},
          {"bytes", told.bytes},
          {"arena_bytes", told.arena_bytes},
          {"patches", told.patches},
          {"recaptures", told.recaptures},
          {"reinstantiations", told.reinstantiations},
          {"shared_launches", told.shared_launches},
          {"pieces", told.pieces},
          {"shared_runs", told.shared_runs},
          {"plain_runs", told.plain_runs},
          {"shared_us", static_cast<double>(told.shared_ns) / 1000},
          {"plain_us", static_cast<double>(told.plain_ns) / 1000}};
}

}  // namespace loci::runner
