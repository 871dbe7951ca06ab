// Whoever takes a thread's runs of programs instead of the devices: graphs that it is capturing.
#pragma once

#include <memory>

#include "framework/run/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::runtime {

class RunRecorder {
 public:
  virtual ~RunRecorder() = default;
  // Whether a run on that device would be captured.
  [[nodiscard]] virtual bool takes(const device::Device& device) const = 0;
  // The run is part of the graph, and done at each replay. Throws Error where it cannot be: the
  // capture has failed then. False if a variable of the scope has another type than in the plan.
  [[nodiscard]] virtual bool record(const device::Device& device, std::shared_ptr<const Plan> plan,
                                    const std::shared_ptr<tensor::ScopeImpl>& scope) = 0;
};

// Null where the thread captures nothing.
extern constinit thread_local RunRecorder* run_recorder [[gnu::tls_model("initial-exec")]];

}  // namespace loci::runtime
