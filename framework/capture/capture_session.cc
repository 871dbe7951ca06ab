#include "framework/capture/capture_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/capture/refusals.h"
#include "framework/core/raise.h"

namespace loci::capture {
namespace {

bool is_of_pool(const tensor::Storage& storage, const std::shared_ptr<GraphMemory>& pool) {
  const tensor::StorageExtras* extras = storage.extras.find();
  return extras != nullptr && extras->pool == pool;
}

}  // namespace

CaptureSession::CaptureSession(std::uint64_t number, std::shared_ptr<eager::Queue> origin,
                               device::CaptureMode mode, std::shared_ptr<GraphMemory> memory)
    : ActiveCapture(origin->device(), mode),
      device_(origin->device()),
      graph_(std::make_shared<CapturedGraph>(number, device_, std::move(memory))),
      queues_(std::move(origin)),
      beside_(device_),
      not_computed_(device::failure_of(
          Error(ErrorCode::kInvalidArgument,
                fmt::format("it is computed by graph {}, which has not been replayed; end its "
                            "capture, and replay it first",
                            number)))) {
  if (GraphCores::may_share(device_)) temporaries_.emplace();
  open_.emplace(*graph_->memory);
  device::enter_capture(*this);
}

void CaptureSession::open() { origin()->set_recorder(shared_from_this()); }

CaptureSession::~CaptureSession() { abandon(); }

std::string CaptureSession::name() const {
  return fmt::format("graph {} at {}", graph_->number, device_.place().to_string());
}

void CaptureSession::invalidate(const Error& reason) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = reason;
}

bool CaptureSession::has_failed() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_.has_value();
}

void CaptureSession::fail_with(const Error& error) {
  invalidate(error);
  throw error;
}

void CaptureSession::refuse_wait(const char* action) { fail_with(wait_refusal(action, name())); }

void CaptureSession::require_open() const {
  if (has_failed()) throw *failure_;  // which is set once
  if (is_open()) return;
  core::raise(ErrorCode::kInvalidArgument, "[capture] the capture of {} has ended", name());
}

void CaptureSession::require_thread() const {
  if (mode() == device::CaptureMode::kRelaxed || is_of_this_thread()) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[capture] another thread than that which captures {} gives work to one of its "
              "streams; use a stream of its own there, or capture in the mode relaxed",
              name());
}

// Work that cannot be captured ends the capture; one that fails otherwise leaves it as it was.
template <class Record>
void CaptureSession::guarded(const Record& record) {
  const std::lock_guard lock(mutex_);
  require_open();
  require_thread();
  recording_ = std::this_thread::get_id();
  try {
    record();
  } catch (const Error& error) {
    recording_ = std::thread::id();
    invalidate(error);
    throw;
  } catch (...) {
    recording_ = std::thread::id();
    throw;
  }
  recording_ = std::thread::id();
}

void CaptureSession::check_beside(const eager::Task& task, const eager::Queue& queue) {
  if (!is_open() || has_failed()) return;
  const std::lock_guard lock(mutex_);
  const std::string objection = beside_.objection(task, queue);
  if (!objection.empty()) fail_with(beside_refusal(task, objection, name()));
}

void CaptureSession::refuse_run(const device::Device& device) {
  fail_with(run_refusal(device.place(), name()));
}

// A value that the graph does not change may be taken, as long as it stays: replays check that.
void CaptureSession::note_read(const std::shared_ptr<const void>& storage, std::string_view read,
                               bool /*decides*/) {
  if (recording_ == std::this_thread::get_id() || !is_open()) return;
  const auto& read_storage = *static_cast<const tensor::Storage*>(storage.get());
  const std::lock_guard lock(mutex_);
  if (written(read_storage) == nullptr) {
    graph_->outside.add_host_read(std::const_pointer_cast<tensor::Storage>(
                                      std::static_pointer_cast<const tensor::Storage>(storage)),
                                  read);
    return;
  }
  const Error error = read_refusal(read, name());
  invalidate(error);
  // A tensor may have no elements yet: then the reader says so.
  if (read_storage.absence.load(std::memory_order_relaxed) == nullptr) throw error;
}

memory::Buffer CaptureSession::allocate_noted(device::Device* space, std::uint64_t bytes,
                                              loci_stream* stream, const char* name) {
  memory::Buffer buffer = graph_->memory->allocate(space, bytes, stream, name);
  extents_.push_back({space, reinterpret_cast<std::uintptr_t>(buffer.data()), bytes});
  addresses_.insert(buffer.data());
  graph_->peak_bytes = std::max(graph_->peak_bytes, graph_->memory->stats().in_use);
  return buffer;
}

memory::Buffer CaptureSession::allocate(device::Device* space, std::uint64_t bytes,
                                        const eager::Queue& queue, const char* name) {
  const std::lock_guard lock(mutex_);
  require_open();
  require_thread();
  return allocate_noted(space, bytes, space == nullptr ? nullptr : queue.stream(), name);
}

class CaptureSession::MemoryOfRuns final : public execution::FrameMemory {
 public:
  explicit MemoryOfRuns(CaptureSession& session) : session_(session) {}
  memory::Buffer allocate(execution::Space space, std::uint64_t bytes, const char* name) override {
    loci_stream* stream = space == nullptr ? nullptr : session_.origin()->stream();
    return session_.allocate_noted(space, bytes, stream, name);
  }

 private:
  CaptureSession& session_;
};

std::shared_ptr<void> CaptureSession::pool(device::Device* /*space*/) { return graph_->memory; }

void CaptureSession::record(eager::Task& task, eager::Queue& queue) {
  guarded([&] {
    if (task.batch != nullptr) {
      core::raise(ErrorCode::kInvalidArgument,
                  "{} is replayed within the capture of {}; replay it before or after",
                  task.batch->describe(), name());
    }
    std::size_t item = 0;
    if (task.plan != nullptr) {
      item = record_launch(task, queue);
    } else if (!task.arguments.empty()) {
      item = record_copy(task);
    } else if (queue.is_inline() || device_.can_launch_host()) {
      item = graph_->list.add_host_function(std::move(task.host_function), task.site);
    } else {
      core::raise(ErrorCode::kUnsupported,
                  "[launch_host_function] cannot be captured: streams of {} run no functions; call "
                  "it between two graphs",
                  device_.place().to_string());
    }
    const std::size_t stream = queues_.number_of(queue);
    queues_.note_work(stream, graph_->list.type(item));
    graph_->list.set_stream(item, stream);
  });
}

// Host memory is taken by the op that writes it first, as it runs.
void CaptureSession::require_memory(const tensor::TensorImpl& tensor) const {
  tensor::Storage& storage = *tensor.storage();
  if (storage.device != nullptr) return;
  if (!storage.uses.has_ended(/*writers_only=*/true)) storage.uses.wait(/*writers_only=*/true);
  storage.provide();
}

std::size_t CaptureSession::record_launch(eager::Task& task, const eager::Queue& queue) {
  check_launch(task, device_,
               [this](const tensor::Storage& storage) { return written(storage) != nullptr; });
  std::vector<const tensor::TensorImpl*> arguments;
  for (const std::shared_ptr<tensor::TensorImpl>& argument : task.arguments) {
    if (argument != nullptr) require_memory(*argument);
    arguments.push_back(argument.get());
  }
  void* state = nullptr;
  memory::Buffer workspace;  // the next op may have it too
  if (const dispatch::PreparedKernel* kernel = task.plan->kernel.get()) {
    device::Device* space = device_.uses_host_memory() ? nullptr : &device_;
    workspace = allocate_noted(space, kernel->workspace_bytes(), queue.stream(), "(workspace)");
    if (kernel->state_bytes() > 0) {
      // Not of the pool, whose memory earlier graphs may write.
      graph_->kept.push_back(
          memory::host_allocator().allocate(kernel->state_bytes(), nullptr, "(kernel state)"));
      state = graph_->kept.back().data();
      std::memset(state, 0, kernel->state_bytes());
    }
  }
  const std::string op = task.plan->schema->name();
  const std::size_t next = graph_->list.size();
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (arguments[i] == nullptr) continue;
    const bool on_host = task.reads_on_host(i) && !device_.is_inline();
    note_input(*arguments[i],
               on_host ? OutsideTensors::Access::kReadOnHost : OutsideTensors::Access::kRead, op,
               next);
  }
  const std::size_t item =
      graph_->list.add_launch(task.plan, arguments.data(), workspace.data(), state);
  for (std::size_t i = task.input_count(); i < arguments.size(); ++i) {
    if (arguments[i] != nullptr) note_output(task.arguments[i], op, item);
  }
  if (temporaries_) note_temporaries(task, workspace.data(), item);
  return item;
}

void CaptureSession::note_temporaries(const eager::Task& task, const void* workspace,
                                      std::size_t item) {
  if (task.plan->kernel == nullptr) return;  // it does nothing, and has no arguments in the list
  const auto number = static_cast<std::uint32_t>(item);
  for (std::uint32_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const std::shared_ptr<tensor::Storage>& storage = task.arguments[i]->storage();
    const Written* by = written(*storage);
    if (by != nullptr && by->is_made) temporaries_->note_use(storage, {number, i});
  }
  if (const dispatch::PreparedKernel* kernel = task.plan->kernel.get()) {
    temporaries_->note_workspace(workspace, kernel->workspace_bytes(), number);
  }
}

void CaptureSession::pin(const std::shared_ptr<tensor::Storage>& storage) {
  if (temporaries_) temporaries_->pin(storage);
}

std::size_t CaptureSession::record_copy(eager::Task& task) {
  const tensor::TensorImpl& from = *task.arguments[0];
  const tensor::TensorImpl& to = *task.arguments[1];
  require_memory(from);
  require_memory(to);
  note_input(from, OutsideTensors::Access::kRead, "copy", graph_->list.size());
  transfer::Labels labels = task.labels;
  labels.dtype = from.dtype();
  const std::size_t item = graph_->list.add_copy({from.storage()->device, from.data()},
                                                 {to.storage()->device, to.data()}, from.bytes(),
                                                 labels, std::move(task.permit));
  note_output(task.arguments[1], "copy", item);
  pin(from.storage());
  pin(to.storage());
  return item;
}

const CaptureSession::Written* CaptureSession::written(const tensor::Storage& storage) const {
  const auto found = written_.find(&storage);
  // Another storage may lie there since.
  if (found == written_.end() || found->second.storage.lock().get() != &storage) return nullptr;
  return &found->second;
}

void CaptureSession::note_input(const tensor::TensorImpl& tensor, OutsideTensors::Access access,
                                const std::string& op, std::size_t item) {
  tensor::Storage& storage = *tensor.storage();
  const Written* by = written(storage);
  if (by != nullptr) {
    graph_->edges.push_back({by->item, static_cast<std::uint32_t>(item),
                             fmt::format("{} {}{}", tensor.name(), dtype_name(tensor.dtype()),
                                         tensor.shape().to_string())});
    if (by->is_made) return;
  } else {
    require_elements(tensor, op);
  }
  graph_->outside.add(tensor, access, op);
}

// Another graph may compute its values at its first replay only: each replay of this one checks
// that they are there.
void CaptureSession::require_elements(const tensor::TensorImpl& tensor,
                                      const std::string& op) const {
  tensor::Storage& storage = *tensor.storage();
  if (!storage.uses.has_failed() || tensor::awaits_replay(storage)) return;
  try {
    storage.uses.wait(/*writers_only=*/true);  // what is under way may write it anew
  } catch (const Error& error) {
    throw error.within(fmt::format("[{}] in the capture of {} reads {}, which has no elements", op,
                                   name(), name_of(tensor)));
  }
}

void CaptureSession::note_output(const std::shared_ptr<tensor::TensorImpl>& tensor,
                                 const std::string& op, std::size_t item) {
  tensor::Storage& storage = *tensor->storage();
  const Written* earlier = written(storage);
  const bool is_made =
      earlier != nullptr
          ? earlier->is_made
          : is_of_pool(storage, graph_->memory) && !graph_->outside.contains(storage) &&
                (storage.bytes == 0 || addresses_.count(storage.buffer.data()) != 0);
  written_[&storage] = {tensor->storage(), static_cast<std::uint32_t>(item), is_made};
  if (!is_made) {
    graph_->changes.note(tensor);
    return graph_->outside.add(*tensor, OutsideTensors::Access::kWritten, op);
  }
  if (earlier != nullptr) return;
  storage.absence.store(tensor::kBeingCaptured, std::memory_order_relaxed);
  storage.uses.fail(not_computed_);
}

// A run that reads a variable in another layout or place reads what was made of it before the
// graph's work begins: not of what that work makes of the variable.
void CaptureSession::note_run(ProgramRun& run, std::size_t item) {
  const execution::Plan& plan = run.plan();
  const auto check = [&](std::size_t persistable) {
    const Tensor& variable = run.frame().variable(persistable);
    if (written(*variable.impl()->storage()) == nullptr) return;
    core::raise(ErrorCode::kUnsupported,
                "[capture] {} reads the variable '{}' packed, or at another place, and the same "
                "graph changes it before: each replay would read what it was; capture two graphs, "
                "or compile with CompileOptions::pack_constants and replicate_constants off",
                name(), plan.persistables[persistable].name);
  };
  for (const execution::PlanPacked& packed : plan.packed) check(packed.persistable);
  for (const execution::PlanReplica& replica : plan.replicas) check(replica.persistable);
  for (std::size_t i = 0; i < plan.persistables.size(); ++i) {
    const std::shared_ptr<tensor::Storage>& storage = run.frame().variable(i).impl()->storage();
    pin(storage);
    if (!plan.persistables[i].is_written) continue;
    const Written* earlier = written(*storage);
    written_[storage.get()] = {storage, static_cast<std::uint32_t>(item),
                               earlier != nullptr && earlier->is_made};
  }
}

bool CaptureSession::record_run(std::shared_ptr<const execution::Plan> plan,
                                const std::shared_ptr<tensor::ScopeImpl>& scope) {
  bool is_bound = true;
  guarded([&] {
    MemoryOfRuns memory(*this);
    auto run = std::make_unique<ProgramRun>(std::move(plan), scope, device_, memory);
    is_bound = run->bind_first();
    if (!is_bound) return;
    const execution::Plan& planned = run->plan();
    const std::size_t first = graph_->list.size();
    const auto add = [&](std::size_t instruction) { graph_->list.add_launch(*run, instruction); };
    if (planned.schedule != nullptr) {
      for (const std::uint32_t instruction : planned.schedule->order) add(instruction);
    } else {
      for (std::size_t i = 0; i < planned.instructions.size(); ++i) add(i);
    }
    note_run(*run, first);
    graph_->runs.push_back(std::move(run));
    queues_.note_work(0, "a program");
  });
  return is_bound;
}

Tensor CaptureSession::random_state() {
  const std::lock_guard lock(mutex_);
  if (graph_->random_state.defined()) return graph_->random_state;
  require_open();
  require_thread();
  constexpr std::int64_t kElements = 3;
  constexpr const char* kName = "random state";
  device::Device* space = device_.uses_host_memory() ? nullptr : &device_;
  loci_stream* stream = space == nullptr ? nullptr : origin()->stream();
  memory::Buffer memory =
      graph_->memory->allocate_kept(space, kElements * sizeof(std::uint64_t), stream, kName);
  auto storage = eager::make_storage(*this, space, std::move(memory), *origin(), kName);
  graph_->random_state =
      Tensor(std::make_shared<tensor::TensorImpl>(kUInt64, Shape{kElements}, std::move(storage)));
  return graph_->random_state;
}

std::int64_t CaptureSession::next_draw() {
  const std::lock_guard lock(mutex_);
  return graph_->draws++;
}

void CaptureSession::note_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor,
                                   bool is_read) {
  const std::lock_guard lock(mutex_);
  graph_->gradients.note(tensor, is_read);
}

bool CaptureSession::has_earlier_gradient(const tensor::TensorImpl& tensor) const {
  const std::lock_guard lock(mutex_);
  return graph_->gradients.has_earlier(tensor);
}

std::uint64_t CaptureSession::mark(const eager::Queue& /*queue*/) {
  const std::lock_guard lock(mutex_);
  return queues_.mark();
}

void CaptureSession::wait_for(const eager::Queue& waiting, const eager::Queue& of,
                              std::uint64_t mark) {
  guarded([&] { queues_.wait_for(queues_.number_of(waiting), queues_.number_of(of), mark); });
}

void CaptureSession::join(const std::shared_ptr<eager::Queue>& queue) {
  guarded([&] {
    if (&queue->device() != &device_) {
      core::raise(ErrorCode::kUnsupported,
                  "[capture] a stream of {} waits for an event of {}: a graph is of one device; "
                  "capture a graph for each",
                  queue->device().place().to_string(), name());
    }
    queues_.fork(queue);
    queue->set_recorder(shared_from_this());
  });
}

std::vector<std::string> CaptureSession::unjoined() const {
  const std::lock_guard lock(mutex_);
  return queues_.unjoined();
}

}  // namespace loci::capture
