#include "tools/cuda_double/driver/graph_exec.h"

#include <algorithm>

#include "tools/cuda_double/driver/conditions.h"
#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

bool is_allowed_in_body(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH ||
         type == CU_GRAPH_NODE_TYPE_EMPTY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

void check_launchable(const Graph& graph, bool in_body);

void check_parts(const Node& node, bool in_body) {
  if (const auto* child = std::get_if<ChildOperation>(&node.operation)) {
    check_launchable(*child->graph, in_body);
  }
  if (const auto* conditional = std::get_if<ConditionalOperation>(&node.operation)) {
    for (const auto& body : conditional->bodies) check_launchable(*body, true);
  }
}

void check_launchable(const Graph& graph, bool in_body) {
  static_cast<void>(graph.in_order());  // throws for a cycle
  for (const auto& node : graph.nodes) {
    require(!in_body || is_allowed_in_body(node->type()),
            "a body of a conditional node has a node of a kind that it may not have");
    check_parts(*node, in_body);
  }
}

bool uses(const Graph& graph, const Condition& condition) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
      return uses(*child->graph, condition);
    }
    const auto* conditional = std::get_if<ConditionalOperation>(&node->operation);
    if (conditional == nullptr) return false;
    return conditional->condition.get() == &condition ||
           std::any_of(conditional->bodies.begin(), conditional->bodies.end(),
                       [&](const auto& body) { return uses(*body, condition); });
  });
}

// Adds the tasks of one launch.
class Launcher {
 public:
  Launcher(Driver& driver, const std::shared_ptr<GraphExec>& exec, Stream& stream)
      : driver_(driver), exec_(exec), stream_(stream) {}

  TaskPtr run() {
    auto start = mark("the begin of a graph");
    set_default_values(start, *exec_->graph);
    auto before = stream_.dependencies();
    before.push_back(exec_->last_launch);
    driver_.submit(start, stream_.actor, before);
    const auto ends = add(*exec_->graph, start);
    auto end = mark("the end of a graph");
    end->afterwards = [exec = exec_] {};  // keeps it while it runs
    driver_.submit(end, stream_.actor, ends);
    return end;
  }

 private:
  [[nodiscard]] TaskPtr mark(const char* what) const {
    auto task = std::make_shared<Task>();
    task->what = what;
    task->context = &stream_.context;
    return task;
  }

  static void set_default_values(const TaskPtr& start, const Graph& graph) {
    std::vector<std::shared_ptr<Condition>> conditions;
    for (const auto& condition : graph.conditions) {
      if (condition->assigns_default) conditions.push_back(condition);
    }
    start->afterwards = [conditions] {
      for (const auto& condition : conditions) {
        set_condition(condition->handle, condition->default_value);
      }
    };
  }

  // Returns the tasks that everything behind the graph has to wait for.
  std::vector<TaskPtr> add(const Graph& graph, const TaskPtr& start) {
    std::map<const Node*, TaskPtr> tasks;
    std::map<const Node*, Actor> actors;
    std::set<const Node*> continued;  // whose actor another node has taken on
    std::vector<TaskPtr> ends = {start};
    for (const Node* node : graph.in_order()) {
      std::vector<TaskPtr> before;
      for (const Node* dependency : node->dependencies) before.push_back(tasks[dependency]);
      if (before.empty()) before.push_back(start);
      const bool overlaps = is_kernel(*node) && std::get<KernelOperation>(node->operation).overlaps;
      const Actor actor = overlaps ? new_actor() : actor_for(*node, actors, continued);
      actors[node] = actor;
      if (overlaps) {
        tasks[node] = add_overlapping(*node, actor, before);
      } else {
        tasks[node] = add_node(*node, actor, before, known_of(before));
        note_kernel(*node, *tasks[node]);
      }
      ends.push_back(tasks[node]);
    }
    return ends;
  }

  Actor actor_for(const Node& node, const std::map<const Node*, Actor>& actors,
                  std::set<const Node*>& continued) {
    for (const Node* dependency : node.dependencies) {
      if (continued.insert(dependency).second) return actors.at(dependency);
    }
    return new_actor();
  }

  Actor new_actor() {
    if (next_actor_ == exec_->actors.size()) exec_->actors.push_back(driver_.actors.take());
    return exec_->actors[next_actor_++];
  }

  static bool is_kernel(const Node& node) {
    return std::holds_alternative<KernelOperation>(node.operation);
  }

  static Clock known_of(const std::vector<TaskPtr>& before) {
    Clock known;
    for (const auto& task : before) known.join(task->clock);
    return known;
  }

  void note_kernel(const Node& node, const Task& task) {
    if (is_kernel(node)) before_kernel_[&node] = task.clock.without(task.epoch);
  }

  // A kernel that may begin before the kernels before it have ended; what comes behind it is behind
  // those too.
  TaskPtr add_overlapping(const Node& node, Actor actor, const std::vector<TaskPtr>& before) {
    Clock known;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool is_start = node.dependencies.empty();
      const Node* dependency = is_start ? nullptr : node.dependencies[i];
      const bool is_beside = dependency != nullptr && is_kernel(*dependency);
      known.join(is_beside ? before_kernel_.at(dependency) : before[i]->clock);
    }
    const TaskPtr task = add_node(node, actor, before, known);
    note_kernel(node, *task);
    auto all = before;
    all.push_back(task);
    auto both = mark(node.what.c_str());
    driver_.submit(both, actor, all);
    return both;
  }

  TaskPtr add_node(const Node& node, Actor actor, std::vector<TaskPtr> before, const Clock& known) {
    auto task = std::make_shared<Task>();
    task->what = node.what;
    task->context = node.context != nullptr ? node.context : &stream_.context;
    if (!exec_->is_enabled(node)) {
      driver_.submit(task, actor, before);
      return task;
    }
    if (const auto* child = std::get_if<ChildOperation>(&node.operation)) {
      driver_.submit(task, actor, before);
      auto end = mark("the end of a child graph");
      driver_.submit(end, actor, add(*child->graph, task));
      return end;
    }
    if (const auto* wait = std::get_if<WaitOperation>(&node.operation)) {
      before.push_back(wait->event->record);
    }
    if (has_work(node.operation)) {
      task->is_host_function = std::holds_alternative<HostOperation>(node.operation);
      const auto heard = heard_work(driver_, node.operation, stream_, node.id);
      task->work = [operation = node.operation, heard, &driver = driver_](Task& running) {
        execute_heard(operation, running, driver, heard);
      };
    }
    if (const auto* conditional = std::get_if<ConditionalOperation>(&node.operation)) {
      task->work = [conditional = *conditional, &driver = driver_](Task& running) {
        run_conditional(conditional, running, driver);
      };
    }
    if (is_kernel(node)) {
      driver_.submit_knowing(task, actor, before, known);
    } else {
      driver_.submit(task, actor, before);
    }
    if (const auto* record = std::get_if<RecordOperation>(&node.operation)) {
      record->event->record = task;
      record->event->capture = nullptr;
    }
    return task;
  }

  static void run_body(const Graph& body, Task& task, Driver& driver) {
    for (const Node* node : body.in_order()) {
      if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
        run_body(*child->graph, task, driver);
      } else if (const auto* inner = std::get_if<ConditionalOperation>(&node->operation)) {
        run_conditional(*inner, task, driver);
      } else {
        execute(node->operation, task, driver);
      }
    }
  }

  static void run_conditional(const ConditionalOperation& conditional, Task& task, Driver& driver) {
    const auto value = [&] { return value_of(*conditional.condition); };
    const auto& bodies = conditional.bodies;
    switch (conditional.type) {
      case CU_GRAPH_COND_TYPE_IF: {
        const std::size_t chosen = value() != 0 ? 0 : 1;
        if (chosen < bodies.size()) run_body(*bodies[chosen], task, driver);
        break;
      }
      case CU_GRAPH_COND_TYPE_WHILE:
        while (value() != 0) run_body(*bodies[0], task, driver);
        break;
      case CU_GRAPH_COND_TYPE_SWITCH:
        if (const unsigned chosen = value(); chosen < bodies.size()) {
          run_body(*bodies[chosen], task, driver);
        }
        break;
    }
  }

  Driver& driver_;
  const std::shared_ptr<GraphExec>& exec_;
  Stream& stream_;
  std::size_t next_actor_ = 0;
  std::map<const Node*, Clock> before_kernel_;  // what each was behind
};

void take_memory(const GraphExec& exec) {
  const bool frees = (exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  for (const auto& node : exec.graph->nodes) {
    const auto* allocation = std::get_if<AllocationOperation>(&node->operation);
    if (allocation == nullptr) continue;
    GraphMemory& memory = *allocation->memory;
    require(frees || !memory.is_live(), "memory of the launch before was not freed");
    memory.set_live(!memory.freed_by_graph);
  }
}

}  // namespace

GraphExec::GraphExec(std::shared_ptr<Graph> source, unsigned long long instantiate_flags)
    : flags(instantiate_flags), source_(source) {
  check_launchable(*source, false);
  const bool single =
      source->has(CU_GRAPH_NODE_TYPE_CONDITIONAL) || source->has(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  require(!single || source->instances == 0, CUDA_ERROR_NOT_SUPPORTED,
          "a graph with such nodes has one executable graph at most");
  for (const auto& condition : source->conditions) {
    require(uses(*source, *condition), "a conditional handle has no node");
  }
  graph = source->clone();
  Driver::get().registry.remove(graph.get());
  for (const auto& node : graph->nodes) by_origin_[node->origin] = node.get();
  ++source->instances;
}

GraphExec::~GraphExec() {
  for (const Actor actor : actors) Driver::get().actors.give_back(actor);
  if (const auto source = source_.lock()) --source->instances;
}

Node& GraphExec::node_for(const Node& of_source) const {
  const auto found = by_origin_.find(of_source.id);
  require(found != by_origin_.end(), "the node is of another graph");
  return *found->second;
}

void GraphExec::enable(const Node& node, bool enabled) {
  const auto type = node.type();
  require(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMSET ||
              type == CU_GRAPH_NODE_TYPE_MEMCPY,
          "a node of this kind can not be disabled");
  if (enabled) {
    disabled_.erase(&node);
  } else {
    disabled_.insert(&node);
  }
}

void launch_graph(Call& call, const std::shared_ptr<GraphExec>& exec, CUstream handle) {
  const auto stream = call.work_stream(handle);
  require(stream->capture == nullptr, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "a graph can not be launched into a capture");
  take_memory(*exec);
  const TaskPtr end = Launcher(call.driver, exec, *stream).run();
  stream->last = end;
  exec->last_launch = end;
}

}  // namespace loci::cuda_double
