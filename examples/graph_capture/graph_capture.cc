// Device graphs: work that is recorded once and replayed, for imperative code and for programs.
//
//   graph_capture [PLACE [DATA [STEPS]]]     DATA: the directory of the digits
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <loci/loci.hpp>
#include <string>

#include "training.h"

namespace {

// Imperative: what is done between capture_begin() and capture_end() is recorded.
void replay_an_addition(const loci::Place& place) {
  const loci::Tensor input = loci::full({1}, 1.0, loci::kFloat32).to(place);
  loci::Graph graph(place);
  graph.capture_begin();
  const loci::Tensor output = input + 10.0;
  graph.capture_end();  // nothing has been computed
  graph.replay();
  std::printf("imperative: %g", static_cast<double>(output.item<float>()));
  for (const double next : {2.0, 3.0, 4.0}) {
    input.fill_(next);
    graph.replay();
    std::printf(" %g", static_cast<double>(output.item<float>()));
  }
  std::printf("\n");
  graph.reset();  // gives its memory back
}

// A program: its inputs and outputs are persistable variables, since a replay has no feed and no
// fetch. The first batch runs plainly, the second one is captured.
void replay_a_program(const loci::Place& place) {
  loci::Program main;
  loci::Program startup;
  {
    const loci::ProgramGuard building(main, startup);
    const loci::Variable input = loci::data("input", {1}, loci::kFloat32);
    input.set_persistable(true);
    const loci::Variable output = input + 1.0;
    output.rename("output");
    output.set_persistable(true);
  }
  const loci::Scope scope;
  loci::Executor executor(place, {}, scope);
  executor.run(startup);
  loci::Graph graph(place);
  std::printf("program:   ");
  for (int batch = 0; batch < 5; ++batch) {
    scope.set("input", loci::full({1}, batch, loci::kFloat32));
    if (batch == 1) {
      graph.capture_begin();
      executor.run(main);
      graph.capture_end();
    }
    if (graph.is_captured()) {
      graph.replay();  // without it, this batch would not have been computed
    } else {
      executor.run(main);
    }
    std::printf(" %g", static_cast<double>(scope.find("output").to_host().item<float>()));
  }
  std::printf("\n");
}

bool compare(const char* name, const training::Result& plain, const training::Result& captured) {
  const bool same = plain.losses == captured.losses;
  std::printf(
      "%s: loss %.4f to %.4f, captured steps %s; a step returns after %.1f us, a replay "
      "after %.1f us\n",
      name, static_cast<double>(plain.losses.front()), static_cast<double>(plain.losses.back()),
      same ? "give the same" : "DIFFER", plain.host_us, captured.host_us);
  return same;
}

bool train(const loci::Place& place, const std::string& directory, int steps) {
  using training::Steps;
  const digits::Split data = digits::load(directory).train;
  const bool imperative =
      compare("imperative training", training::imperative(data, place, Steps::kPlain, steps),
              training::imperative(data, place, Steps::kCaptured, steps));
  const bool program =
      compare("program training", training::of_program(data, place, Steps::kPlain, steps),
              training::of_program(data, place, Steps::kCaptured, steps));
  return imperative && program;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const loci::Place place(argc > 1 ? argv[1] : "cpu");
    replay_an_addition(place);
    replay_a_program(place);
    if (argc <= 2) return 0;
    return train(place, argv[2], argc > 3 ? std::atoi(argv[3]) : 200) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graph_capture: %s\n", error.what());
    return 1;
  }
}
