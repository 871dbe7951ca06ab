// Whoever takes a thread's runs of programs instead of the devices, or looks at them: graphs that
// it is capturing.
#pragma once

#include <functional>
#include <loci/executor.hpp>
#include <memory>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::execution {

class RunRecorder {
 public:
  virtual ~RunRecorder() = default;
  // Returns true if a run on that device would be captured.
  [[nodiscard]] virtual bool takes(const device::Device& device) const = 0;
  // The run is part of the graph, and done at each replay. Throws Error where it cannot be: the
  // capture has failed then. False if a variable of the scope has another type than in the plan.
  [[nodiscard]] virtual bool record(const device::Device& device, std::shared_ptr<const Plan> plan,
                                    const std::shared_ptr<tensor::ScopeImpl>& scope) = 0;
  // Watches a run that it does not take: has it done by `run`.
  virtual void look_on(const Plan& /*plan*/, device::Device& /*device*/, const Feed& /*feed*/,
                       const std::vector<Fetch>& /*fetch*/, const std::function<void()>& run) {
    run();
  }
};

// Null where the thread captures nothing.
extern constinit thread_local RunRecorder* run_recorder [[gnu::tls_model("initial-exec")]];

}  // namespace loci::execution
