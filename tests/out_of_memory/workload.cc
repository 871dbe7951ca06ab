#include "tests/out_of_memory/workload.h"

#include <filesystem>
#include <loci/loci.hpp>

namespace loci::oom {
namespace {

using Values = std::vector<Variable>;

std::vector<float> elements(const Tensor& tensor) { return tensor.to_vector<float>(); }

void append(std::vector<float>* values, const Tensor& tensor) {
  const std::vector<float> more = elements(tensor);
  values->insert(values->end(), more.begin(), more.end());
}

// A small network of a convolution, a loop and a product.
struct Network {
  Variable input;
  Variable output;
};

Network build_network() {
  const Variable x = data("x", {-1, 2, 6, 6}, kFloat32);
  const Variable filter = create_parameter({3, 2, 3, 3}, kFloat32, initializer::constant(0.05));
  const Variable w = create_parameter({48, 4}, kFloat32, initializer::constant(0.02));
  const Variable features = relu(conv2d(x, filter));
  const Variable flat = reshape(features, {-1, 48});
  const Variable count = fill_constant({1}, 2, kInt64);
  const Values ends = while_loop([&](const Values& v) { return less_than(v[1], count); },
                                 [](const Values& v) {
                                   return Values{v[0] * 1.5 + 0.25, v[1] + 1.0};
                                 },
                                 {flat, fill_constant({1}, 0, kInt64)});
  return {x, softmax(matmul(ends[0], w))};
}

Tensor input(const Place& place) { return full({2, 2, 6, 6}, 0.5).to(place); }

std::vector<float> run_program(const Place& place) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Network network = build_network();
  const Scope scope;
  Executor executor(place, {}, scope);
  executor.run(startup, {}, {});
  std::vector<float> values;
  for (int i = 0; i < 2; ++i) {
    append(&values, executor.run(main, {{"x", input("cpu")}}, {network.output})[0]);
  }
  return values;
}

std::vector<float> train_program(const Place& place) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {-1, 12}, kFloat32);
  const Variable w = create_parameter({12, 4}, kFloat32, initializer::constant(0.05));
  const Variable loss = reduce_mean(tanh(matmul(x, w)) * 0.5);
  optimizer::Adam(0.1).minimize(loss);
  const Scope scope;
  Executor executor(place, {}, scope);
  executor.run(startup, {}, {});
  std::vector<float> values;
  for (int i = 0; i < 2; ++i) {
    append(&values, executor.run(main, {{"x", full({3, 12}, 0.5)}}, {loss})[0]);
  }
  append(&values, scope.find(w.name()));
  return values;
}

std::vector<float> train_eagerly(const Place& place) {
  Tensor w = full({24, 16}, 0.125, kFloat32, place);
  w.set_requires_grad();
  std::vector<float> values;
  for (int i = 0; i < 2; ++i) {
    const Tensor x = full({8, 24}, 0.25 * (i + 1), kFloat32, place);
    const Tensor loss = reduce_mean(tanh(matmul(x, w)));
    loss.backward();
    append(&values, loss);
  }
  append(&values, w.grad());
  return values;
}

// Enough of them, and large enough, that some are queued.
std::vector<float> call_ops(const Place& place) {
  Tensor x = full({256, 96}, 0.01, kFloat32, place);
  for (int i = 0; i < 6; ++i) x = tanh(x * 1.1 + 0.01);
  return elements(x.rows(0, 2));
}

std::vector<float> save(const std::string& directory) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Network network = build_network();
  const Scope scope;
  Executor("cpu", {}, scope).run(startup, {}, {});
  const std::string path = (std::filesystem::path(directory) / "saved").string();
  io::save_inference_model(path, main, {network.input}, {network.output}, scope);
  std::vector<float> values;
  for (const auto& entry : io::load_model(path).weights) append(&values, entry.second);
  return values;
}

std::vector<float> load(const std::string& directory) {
  const io::Model model = io::load_model((std::filesystem::path(directory) / "model").string());
  std::vector<float> values;
  for (const auto& entry : model.weights) append(&values, entry.second);
  values.push_back(static_cast<float>(model.main.to_string().size()));
  return values;
}

std::vector<float> profile(const Place& place, const std::string& directory) {
  const std::string path = (std::filesystem::path(directory) / "profile").string();
  ProfilerOptions options;
  options.no_reporter().profile_path(path);
  const Profiler profiler(options);
  return run_program(place);
}

}  // namespace

void make_model(const std::string& directory) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Network network = build_network();
  const Scope scope;
  Executor("cpu", {}, scope).run(startup, {}, {});
  io::save_inference_model((std::filesystem::path(directory) / "model").string(), main,
                           {network.input}, {network.output}, scope);
}

std::vector<Workload> make_workloads(const std::string& directory) {
  std::vector<Workload> workloads{
      {"load", [directory] { return load(directory); }},
      {"save", [directory] { return save(directory); }},
  };
  for (const char* place : {"cpu", "sim:0"}) {
    const std::string at = std::string("_") + Place(place).type();
    workloads.push_back({"run" + at, [place] { return run_program(place); }});
    workloads.push_back({"train" + at, [place] { return train_program(place); }});
    workloads.push_back({"gradients" + at, [place] { return train_eagerly(place); }});
    workloads.push_back({"ops" + at, [place] { return call_ops(place); }});
    workloads.push_back({"profile" + at, [place, directory] { return profile(place, directory); }});
  }
  return workloads;
}

}  // namespace loci::oom
