#include "graphs.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "device.h"

namespace sample_plugin {

class Graph {
 public:
  explicit Graph(Tasks tasks) : tasks(std::make_shared<const Tasks>(std::move(tasks))) {}
  const std::shared_ptr<const Tasks> tasks;
};

// A queued launch keeps its tasks, whatever becomes of the executable.
class Executable {
 public:
  explicit Executable(const Graph& graph) : tasks_(graph.tasks) {}

  // Behind its latest launch, in whichever stream that was.
  void launch(SampleDevice::Stream& stream, std::uint64_t correlation) {
    stream.require_plain("a graph is launched");
    const std::lock_guard<std::mutex> lock(mutex_);
    auto mark = std::make_shared<Mark>();
    if (latest_ != nullptr) stream.add([latest = latest_] { latest->wait(); });
    stream.add([&device = stream.device(), tasks = tasks_, correlation] {
      for (const Task& task : *tasks) device.run(correlation + task.item, task.work);
    });
    stream.add([mark] { mark->reach(); });
    latest_ = std::move(mark);
  }

  void update(const Graph& graph) {
    const Tasks& later = *graph.tasks;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < std::min(tasks_->size(), later.size()); ++i) {
      if ((*tasks_)[i].kind == later[i].kind && (*tasks_)[i].name == later[i].name) continue;
      throw std::runtime_error("task " + std::to_string(i) + " is " + later[i].name + " and was " +
                               (*tasks_)[i].name);
    }
    if (tasks_->size() != later.size()) {
      throw std::runtime_error("there are " + std::to_string(later.size()) + " tasks and were " +
                               std::to_string(tasks_->size()));
    }
    tasks_ = graph.tasks;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Tasks> tasks_;
  std::shared_ptr<Mark> latest_;  // the end of the latest launch
};

namespace {

template <class Body>
const char* guarded(const Body& body) noexcept {
  static thread_local std::string message;
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    message = error.what();
    return message.c_str();
  }
}

SampleDevice::Stream& stream_of(GraphStream* stream) {
  return *reinterpret_cast<SampleDevice::Stream*>(stream);
}

GraphFunctions make_functions() {
  GraphFunctions made{};
  made.begin = [](GraphStream* stream) {
    return guarded([&] { stream_of(stream).recorder().begin(); });
  };
  made.annotate = [](GraphStream* stream, const char* op, std::size_t size, std::uint64_t item) {
    return guarded([&] { stream_of(stream).recorder().annotate({op, size}, item); });
  };
  made.end = [](GraphStream* stream, Graph** out) {
    return guarded([&] { *out = new Graph(stream_of(stream).recorder().end()); });
  };
  made.abort = [](GraphStream* stream) { stream_of(stream).recorder().abort(); };
  made.status = [](GraphStream* stream) { return stream_of(stream).recorder().status(); };
  made.task_count = [](const Graph* graph) { return graph->tasks->size(); };
  made.task = [](const Graph* graph, std::size_t index) {
    const Task& task = (*graph->tasks)[index];
    return TaskInfo{task.kind, task.name.c_str(), task.item};
  };
  made.destroy_graph = [](Graph* graph) { delete graph; };
  made.instantiate = [](const Graph* graph, Executable** out) {
    return guarded([&] { *out = new Executable(*graph); });
  };
  made.launch = [](Executable* executable, GraphStream* stream, std::uint64_t correlation) {
    return guarded([&] { executable->launch(stream_of(stream), correlation); });
  };
  made.update = [](Executable* executable, const Graph* graph) {
    return guarded([&] { executable->update(*graph); });
  };
  made.destroy_executable = [](Executable* executable) { delete executable; };
  return made;
}

}  // namespace

const GraphFunctions& graph_functions() {
  static const GraphFunctions kFunctions = make_functions();
  return kFunctions;
}

}  // namespace sample_plugin
