#include "tests/soak/scenario.h"

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>

namespace loci::soak {
namespace {

namespace fs = std::filesystem;

// Elements that no two of are alike, and small enough that nothing overflows.
Tensor waves(const Shape& shape, const Place& place) {
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = std::sin(static_cast<float>(i) * 0.37F);
  }
  return Tensor::from(elements, shape).to(place);
}

std::vector<float> values_of(const std::vector<Tensor>& tensors) {
  std::vector<float> values;
  for (const Tensor& tensor : tensors) {
    const std::vector<float> more = tensor.to_vector<float>();
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

std::vector<float> call_ops(const Place& place) {
  const Tensor x = waves({48, 40}, place);
  const Tensor y = softmax(matmul(x, transpose(x, {1, 0})));
  const Tensor z = relu(y - 0.02) + reduce_mean(y);
  return values_of({z, reduce_sum(z, {1})});
}

// Large enough to be queued rather than run on the calling thread.
std::vector<float> queue_ops(const Place& place) {
  Tensor x = waves({256, 96}, place);
  for (int i = 0; i < 8; ++i) x = tanh(x * 1.1 + 0.01);
  return x.rows(0, 4).to_vector<float>();
}

// Changes one piece of memory again and again, whole and in part.
std::vector<float> change_in_place(const Place& place) {
  Tensor x = waves({64, 32}, place);
  const Tensor step = waves({64, 32}, place);
  for (int i = 0; i < 6; ++i) {
    x.add_(step);
    x.rows(i, i + 2).fill_(static_cast<double>(i));
  }
  return x.to_vector<float>();
}

std::vector<float> differentiate(const Place& place) {
  Tensor w = waves({24, 16}, place);
  w.set_requires_grad();
  const Tensor loss = reduce_mean(tanh(matmul(waves({8, 24}, place), w)));
  loss.backward();
  return values_of({loss, w.grad()});
}

std::vector<float> train(const Place& place) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {-1, 12}, kFloat32);
  const Variable w = create_parameter({12, 4}, kFloat32, initializer::constant(0.05));
  const Variable loss = reduce_mean(softmax(matmul(x, w)) * tanh(matmul(x, w)));
  optimizer::SGD(0.1).minimize(loss);
  const Scope scope;
  Executor executor(place, {}, scope);
  executor.run(startup, {}, {});
  std::vector<float> values;
  for (int step = 0; step < 3; ++step) {
    values.push_back(
        executor.run(main, {{"x", waves({6 + step, 12}, "cpu")}}, {loss})[0].item<float>());
  }
  const std::vector<float> trained = scope.find(w.name()).to_vector<float>();
  values.insert(values.end(), trained.begin(), trained.end());
  return values;
}

// A graph of the thread's own, replayed with other elements each time.
std::vector<float> replay(const Place& place) {
  Tensor x = waves({64, 32}, place);
  const Tensor sum = full({1}, 0, kFloat32, place);
  Graph graph(place);
  graph.capture_begin();
  const Tensor y = tanh(x * 1.1 + 0.01);
  x.add_(y);
  sum.add_(reduce_sum(y));
  graph.capture_end();
  for (int i = 0; i < 4; ++i) graph.replay();
  return values_of({sum, y});
}

// One for all threads, which take turns.
class SharedStep {
 public:
  explicit SharedStep(const Place& place)
      : place_(place), step_(&compute, CaptureOptions{.place = place}) {}
  std::vector<float> run() const { return values_of(step_({waves({12, 24}, place_)})); }

 private:
  static std::vector<Tensor> compute(const std::vector<Tensor>& in) {
    const Tensor y = softmax(relu(in[0]) * 3.0);
    return {y, reduce_sum(y * in[0], {1})};
  }

  Place place_;
  CapturedFunction step_;
};

CompileOptions capturing(GraphCapture capture) {
  CompileOptions options;
  options.capture = capture;
  return options;
}

// One program and one executor for all threads.
class SharedProgram {
 public:
  explicit SharedProgram(const Place& place, GraphCapture capture = GraphCapture::kOff)
      : executor_(place, capturing(capture), Scope()) {
    const ProgramGuard guard(main_, Program());
    const Variable x = data("x", {-1, 20}, kFloat32);
    const Variable half = relu(x) * 0.5;
    outputs_ = {softmax(half + tanh(x)), reduce_sum(half)};
  }
  std::vector<float> run() {
    return values_of(
        executor_.run(main_, {{"x", waves({10, 20}, "cpu")}}, {outputs_[0], outputs_[1]}));
  }

 private:
  Program main_;
  std::vector<Variable> outputs_;
  Executor executor_;
};

std::vector<float> loop(const Place& place) {
  const Program main;
  const ProgramGuard guard(main, Program());
  const Variable x = data("x", {4, 4}, kFloat32);
  const Variable count = fill_constant({1}, 6, kInt64);
  using Values = std::vector<Variable>;
  const Values ends = while_loop([&](const Values& v) { return less_than(v[1], count); },
                                 [](const Values& v) {
                                   return Values{v[0] * 1.5 + 0.25, v[1] + 1.0};
                                 },
                                 {x, fill_constant({1}, 0, kInt64)});
  Executor executor(place, {}, Scope());
  return executor.run(main, {{"x", full({4, 4}, 0.1)}}, {ends[0]})[0].to_vector<float>();
}

// Into a directory of its own each time, which is removed also after a failure.
class OwnDirectory {
 public:
  explicit OwnDirectory(const std::string& parent) {
    static std::atomic<std::uint64_t> next{0};
    path_ = fs::path(parent) / std::to_string(next.fetch_add(1));
  }
  ~OwnDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::vector<float> save_and_load(const Place& place, const std::string& directory) {
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {-1, 6}, kFloat32);
  const Variable w = create_parameter({6, 3}, kFloat32, initializer::constant(0.125));
  const Variable y = tanh(matmul(x, w));
  const Scope scope;
  Executor(place, {}, scope).run(startup, {}, {});
  const OwnDirectory own(directory);
  io::save_inference_model(own.path(), main, {x}, {y}, scope);
  const io::Model model = io::load_model(own.path());
  const Scope loaded;
  for (const auto& [name, tensor] : model.weights) loaded.set(name, tensor);
  return Executor(place, {}, loaded)
      .run(model.main, {{"x", waves({5, 6}, "cpu")}}, {Fetch(y.name())})[0]
      .to_vector<float>();
}

std::vector<float> move_there_and_back(const Place& from, const Place& to) {
  const Tensor here = waves({33, 17}, from);
  const Tensor there = here.to(to) + 1.0;
  return (there.to(from) * 2.0).to_vector<float>();
}

// One tensor of all threads: while some have the place read it, others wait until nobody does.
class SharedTensor {
 public:
  explicit SharedTensor(const Place& place) : place_(place), x_(waves({64}, place)) {}
  std::vector<float> run() const {
    Tensor sum = x_ * 2.0;
    for (int i = 0; i < 20; ++i) {
      sum = sum + x_;
      if (i % 4 == 0) (void)x_.raw_data();
    }
    synchronize(place_);
    return values_of({sum, x_});
  }

 private:
  Place place_;
  Tensor x_;
};

// Both places compute, each what the other goes on with, in streams that wait for each other.
std::vector<float> mix(const Place& one, const Place& other) {
  const Stream here(one);
  const Stream there(other);
  Tensor x = waves({40, 30}, one);
  Tensor y = waves({40, 30}, other);
  for (int i = 0; i < 4; ++i) {
    Event event;
    {
      const StreamGuard guard(here);
      x = tanh(x * 1.1 + 0.01);
      event.record(here);
    }
    event.wait(there);
    const StreamGuard guard(there);
    y = y * 0.5 + x.to(other);
  }
  return values_of({x, y});
}

}  // namespace

std::vector<Scenario> make_scenarios(const std::vector<Place>& places,
                                     const std::string& directory) {
  std::vector<Scenario> scenarios;
  for (const Place& place : places) {
    const std::string at = " at " + place.to_string();
    scenarios.push_back({"small ops" + at, [place] { return call_ops(place); }});
    scenarios.push_back({"queued ops" + at, [place] { return queue_ops(place); }});
    scenarios.push_back({"changes in place" + at, [place] { return change_in_place(place); }});
    scenarios.push_back({"gradients" + at, [place] { return differentiate(place); }});
    scenarios.push_back({"training" + at, [place] { return train(place); }});
    scenarios.push_back({"loop" + at, [place] { return loop(place); }});
    scenarios.push_back(
        {"save and load" + at, [place, directory] { return save_and_load(place, directory); }});
    const auto shared = std::make_shared<SharedProgram>(place);
    scenarios.push_back({"shared program" + at, [shared] { return shared->run(); }});
    const auto captured = std::make_shared<SharedProgram>(place, GraphCapture::kAuto);
    scenarios.push_back({"captured program" + at, [captured] { return captured->run(); }});
    scenarios.push_back({"replays" + at, [place] { return replay(place); }});
    const auto step = std::make_shared<SharedStep>(place);
    scenarios.push_back({"captured step" + at, [step] { return step->run(); }});
    const auto tensor = std::make_shared<SharedTensor>(place);
    scenarios.push_back({"shared tensor" + at, [tensor] { return tensor->run(); }});
    for (const Place& other : places) {
      if (other == place) continue;
      scenarios.push_back({"mixed at " + place.to_string() + " and " + other.to_string(),
                           [place, other] { return mix(place, other); }});
      scenarios.push_back({"moves from " + place.to_string() + " to " + other.to_string(),
                           [place, other] { return move_there_and_back(place, other); }});
    }
  }
  return scenarios;
}

}  // namespace loci::soak
