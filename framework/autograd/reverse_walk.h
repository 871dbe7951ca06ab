// The reverse walk, of programs and of the tape.
#pragma once

namespace loci::autograd {

// From the results of what was computed back to what they were computed from. A `Graph` has
//   mark_needed()         what lies between the targets and the results;
//   plant()               the gradients of the results;
//   steps()               what was computed, the latest first;
//   collect(step)         every reader of the step's outputs has been visited: completes their
//                         gradients, and says whether one is there and the step has a gradient;
//   differentiate(step)   contributes to the gradients of its inputs;
//   finish()              of the targets that no step computed.
template <class Graph>
void walk_back(Graph& graph) {
  graph.mark_needed();
  graph.plant();
  for (auto&& step : graph.steps()) {
    if (graph.collect(step)) graph.differentiate(step);
  }
  graph.finish();
}

}  // namespace loci::autograd
