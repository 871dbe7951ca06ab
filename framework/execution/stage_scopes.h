// The scopes of a run's profile, from one stage of a plan to the next.
#pragma once

#include <cstddef>
#include <string_view>

#include "framework/execution/plan.h"
#include "framework/profiler/scope.h"

namespace loci::execution {

// A stage ends with the values that the first operator of the next one needs: they are read, and
// the rest of the plan is found, in the scope of that operator, in which the next stage then
// launches it. So the operator is counted once, and what it waits for is part of it. Of one run, on
// one thread; nothing is recorded by it where nothing is.
class StageScopes {
 public:
  // For a plan with a rest: enters the scope of the operator that reads that awaited value.
  void enter_reader(const Plan& plan, std::size_t read);
  // Enters the scope of the first operator of the rest, whether or not it has read anything.
  void enter_next(const Plan& plan);
  // A stage begins with the scope of this operator: true if it is open. Closes any other one.
  [[nodiscard]] bool continues(std::string_view first_operator);

  [[nodiscard]] profiler::OpenScopes& open() { return open_; }
  void close() {
    open_.close();
    reader_ = {};
  }

 private:
  void enter(std::string_view reader, profiler::LabelId label);

  profiler::OpenScopes open_;
  std::string_view reader_;  // whose scope is open; of a plan of the run
};

// Gives the label of the operator of the rest that has this name: its type, and its name; for
// "fetch" the part of the framework, and the phase prepare_data for who is not in the rest.
profiler::LabelId reader_label(const Plan& plan, std::string_view consumer);

}  // namespace loci::execution
