#include "framework/dispatch/capture_refusal.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::dispatch {

// Elements on the host are read anew by each replay, and a graph would keep them as they were.
std::string capture_refusal(const ops::OpSchema& schema, const PreparedKernel& kernel,
                            const std::vector<bool>& on_host, std::size_t inputs) {
  if (!schema.capture_refusal().empty()) return schema.capture_refusal();
  const auto found = std::find(on_host.begin(), on_host.end(), true);
  if (found == on_host.end()) return kernel.capture_refusal();
  const auto index = static_cast<std::size_t>(found - on_host.begin());
  const bool is_input = index < inputs;
  return fmt::format("its {} {} lies on the host, in each replay", is_input ? "input" : "output",
                     is_input ? index : index - inputs);
}

}  // namespace loci::dispatch
