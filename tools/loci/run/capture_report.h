// These functions tell in words and as JSON what --capture has done.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/loci/model/session.h"
#include "tools/loci/run/repeated_run.h"

namespace loci::runner {

// The runs that come first by default: a plain one, and the one that captures.
[[nodiscard]] RunCounts capturing(RunCounts defaults, GraphCapture capture);

// For --capture on, before any run: throws Error(kUnsupported) with all that could not be captured.
void require_capturable(const Session& session, GraphCapture capture);

// Without a run, for `loci plan`: what could not be captured, a line each. Empty without --capture.
[[nodiscard]] std::string problems_text(const Session& session, GraphCapture capture);
// null without.
[[nodiscard]] nlohmann::ordered_json problems_json(const Session& session, GraphCapture capture);

// Empty without --capture: "capture: 23 of 25 launches and copies in 1 graph, ...".
[[nodiscard]] std::string capture_text(const Session& session, GraphCapture capture);
// null without.
[[nodiscard]] nlohmann::ordered_json capture_json(const Session& session, GraphCapture capture);

}  // namespace loci::runner
