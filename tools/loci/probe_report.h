// The lines that a probing child writes to its parent: a word, a blank and a text.
#pragma once

namespace loci::runner {

inline constexpr const char* kStepWord = "step";        // what is called next
inline constexpr const char* kExceptionWord = "threw";  // what ends the process
inline constexpr const char* kResultWord = "result";    // a JSON object with cause and remedy

// After the result: the destructors of the plugin's statics, and what it left to atexit().
inline constexpr const char* kExitStep = "exit";

}  // namespace loci::runner
