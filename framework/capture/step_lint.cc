#include "framework/capture/step_lint.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/device_graph/capturer.h"
#include "framework/dispatch/capture_refusal.h"
#include "framework/eager/queues.h"
#include "framework/eager/thread_state.h"
#include "framework/executor/capture_report.h"
#include "framework/ops/op_registry.h"

namespace loci {
namespace capture {
namespace {

constexpr const char* kSplitRemedy =
    "leave it out of the step, or let the graph be split there (GraphSplitting::kAllowed)";
constexpr const char* kPlaceRemedy =
    "give it a kernel or a guard for that place, or leave it out of the step";

std::string name_of(const eager::Task& task, std::size_t argument) {
  const std::string& name = task.arguments[argument]->name();
  return name.empty() ? task.plan->inputs[argument].name : name;
}

// Gives the type that LaunchList::type() says.
std::string type_of(const eager::Task& task) {
  if (task.plan != nullptr) return task.plan->schema->name();
  return task.arguments.empty() ? "host function" : "copy";
}

// A capture gives a random state of its own, where the graph is.
bool is_random_state(const eager::Task& task, std::size_t argument) {
  return task.plan->schema->is_random() && argument < task.input_count() &&
         task.plan->inputs[argument].name == std::string_view("state");
}

}  // namespace

// Has all that the thread does told while it lives.
class StepLint::Watch {
 public:
  explicit Watch(StepLint& lint)
      : lint_(lint), tasks_(lint), recorder_before_(std::exchange(execution::run_recorder, &lint)) {
    device::enter_capture(lint_);
  }
  ~Watch() {
    device::leave_capture(lint_);
    execution::run_recorder = recorder_before_;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  StepLint& lint_;
  eager::TaskWatch tasks_;
  execution::RunRecorder* recorder_before_;
};

StepLint::StepLint(device::Device& device, std::shared_ptr<eager::Queue> origin)
    : ActiveCapture(device, device::CaptureMode::kThreadLocal),
      device_(device),
      has_capturer_(core::in_context<device_graph::Capturers>().of(device).capturer != nullptr),
      queues_(std::move(origin)),
      beside_(device) {}

std::vector<inspect::CaptureProblem> StepLint::run(const std::function<void()>& step) {
  {
    const Watch watch(*this);
    step();
  }
  note_host_reads();
  note_forks();
  return std::move(problems_);
}

// A tensor that the step has let go of would be the same in each replay: its read is no problem.
void StepLint::note_host_reads() {
  read_on_host_.find_constants();
  for (const std::string& read : read_on_host_.host_reads()) {
    add(read, "it is read on the host, and replays would go on with what it was",
        "read it before the step, if it stays; replays are refused once it has changed");
  }
}

void StepLint::note_forks() {
  for (const std::string& stream : queues_.unjoined()) {
    add("[capture] " + stream, "it was forked off and not joined before the end of the step",
        "record an event in it, and have the stream in which the step began wait for it");
  }
}

// Numbers are those of no other look, so that its events are foreign here.
std::uint64_t StepLint::note_record(const eager::Queue& queue) {
  static std::atomic<std::uint64_t> latest{0};
  if (!queues_.contains(queue)) return 0;
  const std::uint64_t number = latest.fetch_add(1, std::memory_order_relaxed) + 1;
  marks_[number] = queues_.mark();
  return number;
}

void StepLint::note_wait(const std::shared_ptr<eager::Queue>& queue, const eager::Queue& of,
                         std::uint64_t number) {
  const std::size_t waiting = queues_.number_of(*queue);
  const auto mark = marks_.find(number);
  if (mark == marks_.end()) {
    if (waiting == queues_.size()) return;  // neither is the graph's
    return add("[capture] " + queues_.describe(waiting),
               "Event::wait() for an event that was recorded outside of the capture",
               "do it before the step or after it");
  }
  if (waiting < queues_.size()) {
    queues_.wait_for(waiting, queues_.number_of(of), mark->second);
  } else if (&queue->device() == &device_) {
    queues_.fork(queue);
  } else {
    add(fmt::format("[capture] a stream of {}", queue->device().place().to_string()),
        fmt::format("it waits for an event of {}, and a graph is of one device",
                    device_.place().to_string()),
        "capture a graph for each");
  }
}

void StepLint::add(std::string op, std::string reason, std::string remedy) {
  if (problems_.size() >= kMostProblems) return;
  if (!known_.insert(fmt::format("{}: {}", op, reason)).second) return;
  problems_.push_back({std::move(op), std::move(reason), std::move(remedy)});
}

const StepLint::Made* StepLint::find(const Storages& storages, const void* storage) {
  const auto found = storages.find(storage);
  const bool is_there = found != storages.end() && found->second.storage.lock().get() == storage;
  return is_there ? &found->second : nullptr;
}

std::string StepLint::what(const Made* made) {
  return made == nullptr ? "it" : fmt::format("what [{}] computes", made->by);
}

void StepLint::note_task(const eager::Task& task, const eager::Queue& queue) {
  const std::size_t stream = queues_.number_of(queue);
  if (stream < queues_.size()) queues_.note_work(stream, type_of(task));
  if (task.batch != nullptr) {
    return add(task.batch->describe(), "a graph cannot have the replay of another one",
               "replay it before the step or after it");
  }
  if (task.plan == nullptr) {
    return task.arguments.empty() ? note_host_function(task, queue) : note_copy(task, queue);
  }
  &queue.device() == &device_ ? note_launch(task) : note_elsewhere(task, queue);
}

void StepLint::note_launch(const eager::Task& task) {
  const ops::OpSchema& schema = *task.plan->schema;
  const std::string host_read = host_read_of(task);
  if (schema.is_random() && ops::is_plugin_op(schema.name())) {
    add(eager::describe(task), "each replay would draw the same random numbers",
        "draw them before the step, or have a program draw them");
  } else if (!host_read.empty()) {
    add(eager::describe(task), host_read, "take the value before the step");
  } else if (std::string reason = record_refusal(task); !reason.empty()) {
    add(eager::describe(task), std::move(reason), kSplitRemedy);
  }
  note_outputs(task, &computed_);
}

// On the host, where the graph computes.
std::string StepLint::host_read_of(const eager::Task& task) const {
  if (device_.is_inline()) return {};
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr || !task.reads_on_host(i)) continue;
    if (find(computed_, task.arguments[i]->storage().get()) == nullptr) continue;
    return fmt::format("it reads '{}' on the host, which the graph computes", name_of(task, i));
  }
  return {};
}

std::string StepLint::record_refusal(const eager::Task& task) const {
  if (!has_capturer_ || task.plan->kernel == nullptr) return {};
  std::vector<bool> on_host;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const tensor::TensorImpl* argument = task.arguments[i].get();
    const bool is_read = task.plan->views[i].residence != LOCI_RESIDENCE_METADATA;
    on_host.push_back(argument != nullptr && is_read && argument->bytes() > 0 &&
                      argument->storage()->device == nullptr && !is_random_state(task, i));
  }
  return dispatch::capture_refusal(*task.plan->schema, *task.plan->kernel, on_host,
                                   task.input_count());
}

void StepLint::note_elsewhere(const eager::Task& task, const eager::Queue& queue) {
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    if (find(computed_, task.arguments[i]->storage().get()) == nullptr) continue;
    note_outputs(task, &told_);
    return add(eager::describe(task),
               fmt::format("it runs at {}, and reads '{}', which the graph of {} computes",
                           queue.device().place().to_string(), name_of(task, i),
                           device_.place().to_string()),
               kPlaceRemedy);
  }
  note_beside(task, queue);
}

// Work that leaves the device is told once, and each that goes on with it is not.
void StepLint::note_beside(const eager::Task& task, const eager::Queue& queue) {
  bool is_told = false;
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    is_told = is_told || (task.arguments[i] != nullptr &&
                          find(told_, task.arguments[i]->storage().get()) != nullptr);
  }
  std::string objection = is_told ? std::string() : beside_.objection(task, queue);
  if (!is_told && objection.empty()) return;
  note_outputs(task, &told_);
  if (!is_told) add(eager::describe(task), std::move(objection), kPlaceRemedy);
}

void StepLint::note_copy(const eager::Task& task, const eager::Queue& queue) {
  if (task.labels.reason == transfer::Reason::kLoad) return;  // which is done once
  const tensor::Storage& from = *task.arguments[0]->storage();
  const tensor::Storage& to = *task.arguments[1]->storage();
  device::Device* own = device_.uses_host_memory() ? nullptr : &device_;
  if (from.device == own && to.device == own) return note_outputs(task, &computed_);
  if (find(told_, &from) != nullptr) return note_outputs(task, &told_);
  const Made* made = find(computed_, &from);
  const bool is_of_step = from.device == own || to.device == own || made != nullptr;
  if (is_of_step) {
    add(fmt::format("[copy] of '{}'", *task.labels.variable == '\0' ? task.arguments[0]->name()
                                                                    : task.labels.variable),
        fmt::format("{} is copied from {} to {}", what(made),
                    task.arguments[0]->place().to_string(), task.arguments[1]->place().to_string()),
        fmt::format("keep it at {}, or copy it before the step or after it",
                    device_.place().to_string()));
  }
  if (!is_of_step) return note_beside(task, queue);
  note_outputs(task, to.device == own ? &computed_ : &told_);
}

void StepLint::note_host_function(const eager::Task& task, const eager::Queue& queue) {
  if (&queue.device() != &device_) return;
  if (!queue.is_inline() && !device_.can_launch_host()) {
    return add(eager::describe(task),
               fmt::format("streams of {} run no functions", device_.place().to_string()),
               "call it between two graphs");
  }
  if (has_capturer_) add(eager::describe(task), "it is a function of the host's", kSplitRemedy);
}

void StepLint::note_outputs(const eager::Task& task, Storages* of) {
  const char* by = task.plan != nullptr ? task.plan->schema->name().c_str() : "copy";
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const std::shared_ptr<tensor::Storage>& storage = task.arguments[i]->storage();
    (*of)[storage.get()] = {storage, by};
  }
}

// A copy that the host waits for has been told as read.
void StepLint::refuse(std::string_view action, bool is_copy) {
  if (is_within_run_ || is_copy) return;
  add("[capture] the step", std::string(action), "do it before the step or after it");
}

void StepLint::note_read(const std::shared_ptr<const void>& storage, std::string_view read,
                         bool decides) {
  const Made* made = find(computed_, storage.get());
  if (is_within_run_ || (!decides && find(told_, storage.get()) != nullptr)) return;
  if (made == nullptr && !decides) {
    return read_on_host_.add_host_read(
        std::const_pointer_cast<tensor::Storage>(
            std::static_pointer_cast<const tensor::Storage>(storage)),
        read);
  }
  if (made != nullptr) {
    if (read_.lock() == storage) return;
    read_ = made->storage;
  }
  add(std::string(read),
      fmt::format("{} is read on the host, and replays do not wait for that", what(made)),
      "read them before the step, or after a replay");
}

bool StepLint::record(const device::Device& /*device*/,
                      std::shared_ptr<const execution::Plan> /*plan*/,
                      const std::shared_ptr<tensor::ScopeImpl>& /*scope*/) {
  core::raise(ErrorCode::kInternal, "[capture] a look at a step was given a run");
}

void StepLint::look_on(const execution::Plan& plan, device::Device& device, const Feed& feed,
                       const std::vector<Fetch>& fetch, const std::function<void()>& run) {
  const auto add_all = [this](std::vector<inspect::CaptureProblem> found) {
    for (inspect::CaptureProblem& each : found) {
      add(std::move(each.op), std::move(each.reason), std::move(each.remedy));
    }
  };
  if (&device != &device_) {
    add("[capture] Executor::run()",
        fmt::format("it runs at {}, and the graph is of {}", device.place().to_string(),
                    device_.place().to_string()),
        "make the executor at that place, or run it before the step or after it");
  } else {
    add_all(executor::exchange_problems(feed, fetch));
    add_all(executor::capture_problems_of(plan, device, executor::Capturing::kGraph));
  }
  is_within_run_ = true;
  try {
    run();
  } catch (...) {
    is_within_run_ = false;
    throw;
  }
  is_within_run_ = false;
}

}  // namespace capture

inline namespace v0 {
namespace inspect {
std::vector<CaptureProblem> capture_problems(const std::function<void()>& step,
                                             const Place& place) {
  const eager::ThreadState& thread = eager::thread_state();
  if (thread.interceptor != nullptr ||
      (thread.watcher != nullptr && !thread.watcher->gives_way()) ||
      eager::recorder_of(thread) != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] inspect::capture_problems() of a step within a trace, a capture, or "
                "another such look; call it outside");
  }
  auto& devices = device::DeviceManager::instance();
  device::Device& device = devices.get(devices.resolve(place, Place()));
  eager::Queue& standard = eager::Queues::instance().default_queue(device);
  std::shared_ptr<eager::Queue> origin(std::shared_ptr<void>(),
                                       &eager::current_queue(thread, standard));
  return capture::StepLint(device, std::move(origin)).run(step);
}
}  // namespace inspect
}  // namespace v0
}  // namespace loci
