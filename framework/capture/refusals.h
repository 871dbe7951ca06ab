// The refusals of a capture, in the words of its errors: the op, place, reason and remedy.
#pragma once

#include <functional>
#include <loci/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/eager/task.h"

namespace loci::capture {

// `graph` is "graph 3 at sim:0" throughout.

// The host waits: "Stream::synchronize()".
[[nodiscard]] Error wait_refusal(const char* action, const std::string& graph);
// The host reads what the graph writes: "[item()] of 'x' float32[1]".
[[nodiscard]] Error read_refusal(std::string_view read, const std::string& graph);
// Work of another place; `objection` as WorkBeside says it.
[[nodiscard]] Error beside_refusal(const eager::Task& task, const std::string& objection,
                                   const std::string& graph);
// A run of a program at another place.
[[nodiscard]] Error run_refusal(const Place& place, const std::string& graph);

// The capture ends with streams that are not joined, as GraphQueues::unjoined() tells them.
[[nodiscard]] Error fork_refusal(const std::vector<std::string>& forks, const std::string& graph);

// Throws Error where no graph can have the launch, for a reason that the op itself gives.
// `computes`: whether the graph computes that storage.
void check_launch(const eager::Task& task, const device::Device& device,
                  const std::function<bool(const tensor::Storage& storage)>& computes);

}  // namespace loci::capture
