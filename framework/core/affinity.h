// On which processors the threads of the team run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loci::core {

// Returns what a value of LOCI_AFFINITY stands for: "none" for no processor, that is wherever the
// system puts threads; "cores" for those that the calling thread may run on, one of each core
// first; else a list, "0,2,4-7". Throws Error(kInvalidArgument) for other text, and for a processor
// that the thread may not run on.
std::vector<int> processors_of_affinity(std::string_view text);

// "none" and so on, for messages.
inline constexpr const char* kAffinityForm = "none, cores, or a list such as 0,2,4-7";

// Binds the calling thread, which is number `thread` of the team, to what LOCI_AFFINITY gives it;
// the first processor is left to callers. Does nothing where that is not possible: the value was
// checked with the environment.
void bind_to_processor(std::size_t thread) noexcept;

}  // namespace loci::core
