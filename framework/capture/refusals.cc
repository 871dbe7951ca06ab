#include "framework/capture/refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/raise.h"
#include "framework/device/device.h"
#include "framework/ops/op_registry.h"

namespace loci::capture {

Error wait_refusal(const char* action, const std::string& graph) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("[capture] {} while {} is being captured, of which nothing runs before its "
                      "first replay; do it before the capture or after a replay",
                      action, graph)};
}

Error read_refusal(std::string_view read, const std::string& graph) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("[capture] {} on the host while {} is being captured, which writes it: "
                      "nothing runs before the first replay; read it before the capture or after a "
                      "replay",
                      read, graph)};
}

Error beside_refusal(const eager::Task& task, const std::string& objection,
                     const std::string& graph) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("{}: cannot be captured: {}; give it the place of {}, or do it before the "
                      "capture or after a replay",
                      eager::describe(task), objection, graph)};
}

Error run_refusal(const Place& place, const std::string& graph) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("[capture] Executor::run() at {} while {} is being captured: replays would "
                      "not run it again; make the executor at the place of the graph, or run it "
                      "before the capture or after a replay",
                      place.to_string(), graph)};
}

Error fork_refusal(const std::vector<std::string>& forks, const std::string& graph) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("[capture] {} ends with streams that were forked off and not joined: {}; "
                      "record an event in each, and have the stream of the capture wait for it",
                      graph, fmt::join(forks, "; "))};
}

void check_launch(const eager::Task& task, const device::Device& device,
                  const std::function<bool(const tensor::Storage& storage)>& computes) {
  const ops::OpSchema& schema = *task.plan->schema;
  if (schema.is_random() && ops::is_plugin_op(schema.name())) {
    core::raise(ErrorCode::kUnsupported,
                "{}: cannot be captured: it draws random numbers, and each replay would draw the "
                "same ones, since ops of plugins know no state that counts; draw them before the "
                "capture, or capture a program, whose random state each run advances",
                eager::describe(task));
  }
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr || !task.reads_on_host(i)) continue;
    if (device.is_inline() || !computes(*task.arguments[i]->storage())) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "{}: cannot be captured: it reads '{}' on the host, which the graph computes; take "
                "the value before the capture",
                eager::describe(task), task.plan->inputs[i].name);
  }
}

}  // namespace loci::capture
