// The lines that a probing child writes to its parent: a word, a blank and a text.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace loci::runner {

inline constexpr const char* kStepWord = "step";        // what is called next
inline constexpr const char* kExceptionWord = "threw";  // what ends the process
inline constexpr const char* kResultWord = "result";    // a JSON object with cause and remedy

// Those of a child that lists devices. Its steps are the id of a plugin, a blank and a function.
inline constexpr const char* kDeviceWord = "device";        // device_json()
inline constexpr const char* kCandidateWord = "candidate";  // candidate_json()
inline constexpr const char* kDoneWord = "done";            // "all": there is no more to come
inline constexpr const char* kBetweenSteps = "-";           // no function of a plugin is running

// After the result: the destructors of the plugin's statics, and what it left to atexit().
inline constexpr const char* kExitStep = "exit";

// The most bytes of a plugin's text in a line; a longer one has its beginning, and how much is left
// out. The contract allows 64 KiB for a name and 1 MiB for a message, of each of 1,024 devices.
inline constexpr std::size_t kLongestReportedText = 2048;
// The line of an object, all texts within it bounded.
std::string report_line(const char* word, nlohmann::ordered_json object);

}  // namespace loci::runner
