#include "framework/execution/frame.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/device/timed_work.h"
#include "framework/execution/branch.h"
#include "framework/execution/loop.h"
#include "framework/execution/operator_log.h"
#include "framework/execution/profile_script.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/parts.h"
#include "framework/profiler/scope.h"
#include "framework/transfer/wait_label.h"

namespace loci::execution {
namespace {

const loci_view kAbsent{};

bool logs_instructions() {
  return core::log_enabled(core::Module::kOperator, core::Level::kDebug) ||
         core::log_enabled(core::Module::kMemory, core::Level::kDebug);
}

loci_stream* stream_of(Space space) { return space == nullptr ? nullptr : space->default_stream(); }

// The kernels of a plan have run with the end of the scope, also where one of them failed. Nothing
// for a further frame of it.
class FirstRun {
 public:
  explicit FirstRun(const Plan& plan) : plan_(plan) {
    const auto is_new = [](const Instruction& instruction) {
      const LaunchStep* step = instruction.launch();
      return step != nullptr && !step->kernel->has_run();
    };
    if (std::any_of(plan.instructions.begin(), plan.instructions.end(), is_new)) scope_.emplace();
  }
  ~FirstRun() {
    if (!scope_) return;
    for (const Instruction& instruction : plan_.instructions) {
      if (const LaunchStep* step = instruction.launch()) step->kernel->note_launched();
    }
  }
  FirstRun(const FirstRun&) = delete;
  FirstRun& operator=(const FirstRun&) = delete;

 private:
  std::optional<core::NewCode> scope_;
  const Plan& plan_;
};

}  // namespace

Frame::Frame(const Plan& plan, FrameMemory* memory)
    : plan_(plan), begins_(plan.arenas.size()), binding_(plan, &views_) {
  allocate_state();
  make_views();
  make_records();
  if (plan_.schedule != nullptr) make_scheduled();
  for (device::Device* device : plan_.queued_devices) {
    work_.push_back(std::make_unique<DeviceWork>(*device, &plan_));
  }
  if (plan_.captures != nullptr) capture_ = std::make_unique<FrameCapture>(plan_, *this);
  if (plan_.core_forks != nullptr) cores_ = std::make_unique<FrameCores>(plan_, *this);
  PlanMemory* counts = plan_.memory();
  if (counts != nullptr) {
    counts->frames += frame_bytes(plan_);
    counts->has_grown = true;
  }
  if (memory == nullptr && plan_.shares_arenas()) return;
  arenas_ = std::make_unique<ArenaSet>(counts == nullptr ? nullptr : &counts->frames);
  place_values(memory != nullptr ? *memory : common_memory());
}

Frame::~Frame() {
  if (PlanMemory* memory = plan_.memory()) memory->frames -= frame_bytes(plan_);
}

void Frame::take_arenas(std::unique_ptr<ArenaSet> arenas) {
  arenas_ = std::move(arenas);
  const std::uint64_t before = arenas_->bytes();
  place_values(common_memory());
  if (arenas_->bytes() != before) plan_.memory()->has_grown = true;
}

std::unique_ptr<ArenaSet> Frame::leave_arenas() { return std::move(arenas_); }

void Frame::place_values(FrameMemory& memory) {
  bool moved = false;
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    char* begin = arenas_->room_for(plan_.arenas[i], memory);
    moved = std::exchange(begins_[i], begin) != begin || moved;
  }
  if (moved) [[unlikely]]
    set_addresses();
}

// Sets the addresses of all that lies in arenas.
void Frame::set_addresses() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const PlanValue& value = plan_.values[i];
    if (value.storage != StorageKind::kArena || value.bytes == 0) continue;
    views_[i].data = arena_of(value.space, value.pinned_for) + value.offset;
  }
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const LaunchStep* step = plan_.instructions[i].launch();
    if (step == nullptr || step->kernel->workspace_bytes() == 0) continue;
    records_[i].call.workspace =
        arena_of(space_of(plan_.instructions[i].device)) + step->workspace_offset;
  }
}

void Frame::allocate_state() {
  state_ = memory::host_allocator().allocate(plan_.state_bytes, nullptr, "(kernel state)");
  if (plan_.state_bytes > 0) std::memset(state_.data(), 0, plan_.state_bytes);
}

char* Frame::arena_of(Space space, device::Device* pinned_for) const {
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const Arena& arena = plan_.arenas[i];
    if (arena.space == space && arena.pinned_for == pinned_for) return begins_[i];
  }
  return nullptr;
}

void Frame::make_views() {
  views_.reserve(plan_.values.size());
  for (const PlanValue& value : plan_.values) {
    loci_view view{};
    view.dims = value.type.shape.data();
    view.rank = value.type.shape.rank();
    view.dtype = static_cast<loci_dtype>(value.type.dtype);
    view.bytes = value.bytes;
    view.layout = value.layout;
    view.residence = value.space == nullptr ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
    views_.push_back(view);
  }
}

void Frame::make_records() {
  std::size_t argument_count = 0;
  std::size_t metadata_count = 0;
  for (const Instruction& instruction : plan_.instructions) {
    const LaunchStep* step = instruction.launch();
    if (step == nullptr) continue;
    argument_count += instruction.inputs.size() + instruction.outputs.size();
    for (const bool metadata : step->metadata_only) metadata_count += metadata ? 1 : 0;
  }
  // Reserved whole, because records keep pointers into these.
  arguments_.reserve(argument_count);
  metadata_views_.reserve(metadata_count);
  records_.reserve(plan_.instructions.size());
  for (const Instruction& instruction : plan_.instructions) {
    Record& record = records_.emplace_back();
    if (const LaunchStep* step = instruction.launch()) set_call(instruction, *step, &record);
  }
}

void Frame::make_scheduled() {
  scheduled_ = std::make_unique<ScheduledRun>(*plan_.schedule);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const ScheduledStep& step = plan_.schedule->steps[i];
    const bool streamed = step.stream != ScheduledStep::kHost;
    if (streamed) records_[i].call.stream = scheduled_->stream(i);
    records_[i].waits = step.blocks || !streamed;
  }
}

void Frame::set_call(const Instruction& instruction, const LaunchStep& step, Record* record) {
  record->launch = step.kernel->launch_function();
  record->prepared = step.kernel->handle();
  loci_launch& call = record->call;
  call.inputs = arguments_.data() + arguments_.size();
  for (std::size_t i = 0; i < instruction.inputs.size(); ++i) {
    arguments_.push_back(argument(instruction.inputs[i], step.metadata_only[i]));
  }
  call.outputs = arguments_.data() + arguments_.size();
  for (const ValueId value : instruction.outputs) {
    arguments_.push_back(argument(value, /*metadata_only=*/false));
  }
  if (step.kernel->state_bytes() > 0) {
    call.state = static_cast<char*>(state_.data()) + step.state_offset;
  }
  call.stream = instruction.device->default_stream();
}

const loci_view* Frame::argument(ValueId value, bool metadata_only) {
  if (value < 0) return &kAbsent;
  const loci_view& view = views_[static_cast<std::size_t>(value)];
  if (!metadata_only) return &view;
  loci_view& metadata = metadata_views_.emplace_back(view);
  metadata.data = nullptr;
  metadata.layout = LOCI_LAYOUT_PLAIN;  // as the kernel was told
  metadata.residence = LOCI_RESIDENCE_METADATA;
  return &metadata;
}

void Frame::begin() {
  for (device::Device* device : plan_.queued_devices) device->require_reach();
  for (const std::unique_ptr<DeviceWork>& work : work_) work->begin();
}

void Frame::synchronize() {
  if (variables_ != nullptr) variables_->finish();
  std::optional<Error> first;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const profiler::Scope scope(transfer::wait_label(*plan_.queued_devices[i]));
    try {
      work_[i]->finish();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (!first) return;
  for (const std::unique_ptr<DeviceWork>& work : work_) {
    if (const auto failure = work->failure()) binding_.fail(failure);
  }
  throw *first;
}

void Frame::run(StageScopes& scopes) {
  if (has_run_) [[likely]]
    return launch_all(scopes);
  has_run_ = true;
  const FirstRun first(plan_);
  launch_all(scopes);
}

void Frame::launch_all(StageScopes& scopes) {
  binding_.count_changes();
  if (capture_ != nullptr) [[unlikely]]
    capture_->prepare();
  const std::uint64_t correlation = profiler::take_correlations(records_.size());
  for (const std::unique_ptr<DeviceWork>& work : work_) {
    work->set_launches(correlation, records_.size());
  }
  if (scheduled_ != nullptr) return run_scheduled(correlation, scopes);
  if (profiler::records_at(profiler::Level::kOp)) [[unlikely]] {
    const bool is_forked = cores_ != nullptr && !logs_instructions() && cores_->is_forked();
    return is_forked ? cores_->run_profiled(correlation) : run_profiled(correlation, scopes);
  }
  const std::size_t count = records_.size() - plan_.awaited_reads;
  const bool logs = logs_instructions();
  const bool is_plain = !logs && !is_captured();
  if (is_plain && capture_ != nullptr && run_on_cores(correlation)) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_plain) [[likely]] {
      launch_next(i, correlation);
    } else {
      logs ? launch_logged(i, correlation) : launch_in_order(i, correlation);
    }
  }
}

bool Frame::run_on_cores(std::uint64_t first_correlation) {
  if (cores_ != nullptr) {
    cores_->run(first_correlation);
    return true;
  }
  if (plan_.launch_times == nullptr || !plan_.launch_times->is_wanted()) return false;
  plan_.launch_times->measure(records_.size(),
                              [&](std::size_t i) { launch_next(i, first_correlation); });
  return true;
}

// They are copies, which have correlations of their own.
void Frame::read_awaited(StageScopes& scopes) {
  if (scheduled_ != nullptr) return;
  const std::size_t first = records_.size() - plan_.awaited_reads;
  const bool logs = logs_instructions();
  for (std::size_t i = 0; i < plan_.awaited_reads; ++i) {
    scopes.enter_reader(plan_, i);
    const profiler::Scope scope(label_of(profiler::Part::kCompute), 0, profiler::Level::kDetail);
    logs ? launch_logged(first + i, 0) : launch_next(first + i, 0);
  }
}

inline void Frame::launch_next(std::size_t index, std::uint64_t first_correlation) {
  if (records_[index].launch == nullptr) [[unlikely]]
    return run_step(index);
  loci_error* error = launch_kernel(index, first_correlation);
  if (error != nullptr) [[unlikely]]
    fail(index, core::take_error(error));
}

void Frame::launch(std::size_t index, std::uint64_t first_correlation) {
  launch_next(index, first_correlation);
}

// In the order and the stream of its schedule, if there is one.
void Frame::launch_in_order(std::size_t index, std::uint64_t first_correlation) {
  if (is_captured() && capture_->replay(index, first_correlation)) return;
  scheduled_ != nullptr ? launch_scheduled(index, first_correlation)
                        : launch_timed(index, first_correlation);
}

inline void Frame::launch_timed(std::size_t index, std::uint64_t first_correlation) {
  const bool is_timed = device::times_work() && records_[index].launch != nullptr &&
                        profiler::records_at(profiler::Level::kOp);
  if (!is_timed) [[likely]]
    return launch_next(index, first_correlation);
  const Instruction& instruction = plan_.instructions[index];
  const PlanOperator& op = plan_.operators[static_cast<std::size_t>(instruction.op)];
  const device::TimedWork timed(*instruction.device, records_[index].call.stream,
                                {.correlation = first_correlation + index, .name = op.op->type()});
  launch_next(index, first_correlation);
}

void Frame::launch_logged(std::size_t index, std::uint64_t first_correlation) {
  if (core::log_enabled(core::Module::kOperator, core::Level::kDebug)) {
    log_instruction(plan_, index);
  }
  if (!core::log_enabled(core::Module::kMemory, core::Level::kDebug)) {
    return launch_in_order(index, first_correlation);
  }
  if (variables_ == nullptr) variables_ = std::make_unique<VariableLog>(plan_);
  variables_->before(index);
  launch_in_order(index, first_correlation);
  variables_->after(index);
}

void Frame::run_scheduled(std::uint64_t first_correlation, StageScopes& scopes) {
  const bool logs = logs_instructions();
  try {
    scheduled_->begin();
    if (profiler::records_at(profiler::Level::kOp)) {
      run_profiled(first_correlation, scopes);
    } else {
      for (const std::uint32_t index : plan_.schedule->order) {
        logs ? launch_logged(index, first_correlation) : launch_scheduled(index, first_correlation);
      }
    }
    scheduled_->end();
  } catch (...) {
    scheduled_->abandon();
    throw;
  }
}

inline void Frame::launch_scheduled(std::size_t index, std::uint64_t first_correlation) {
  scheduled_->before(index);
  launch_timed(index, first_correlation);
  scheduled_->after(index);
}

// The level is read once more: with recording just ended, the scopes leave nothing.
void Frame::run_profiled(std::uint64_t first_correlation, StageScopes& stages) {
  const bool logs = logs_instructions();
  const bool detail = profiler::records_at(profiler::Level::kDetail);
  const ProfileScript& script =
      plan_.profile_script(detail ? profiler::Level::kDetail : profiler::Level::kOp);
  bool continues = stages.continues(script.first_operator);
  std::size_t depth = 0;
  profiler::OpenScopes& scopes = stages.open();
  const auto open = [&](const ProfileStep& step) {
    const std::uint64_t correlation = step.launches ? first_correlation + step.instruction : 0;
    if (std::exchange(continues, false)) return scopes.relabel(step.label, correlation);
    scopes.push(step.label, correlation);
  };
  for (const ProfileStep& step : script.steps) {
    switch (step.kind) {
      case ProfileStep::Kind::kOpen:
        if (depth++ == 0 && is_captured()) capture_->replay_ahead(&step, first_correlation);
        open(step);
        break;
      case ProfileStep::Kind::kLaunch:
        logs ? launch_logged(step.instruction, first_correlation)
             : launch_in_order(step.instruction, first_correlation);
        break;
      case ProfileStep::Kind::kClose:
        scopes.pop();
        --depth;
        break;
    }
  }
}

void Frame::fail(std::size_t index, const Error& error) const {
  const device::Device* device = plan_.instructions[index].device;
  if (device != nullptr) device->note_loss(error);
  throw error.within(describe_instruction(plan_, index));
}

void Frame::run_step(std::size_t index) {
  const Instruction& instruction = plan_.instructions[index];
  try {
    if (const TransferStep* step = instruction.transfer()) return copy(*step, records_[index]);
    if (const LoopStep* loop = instruction.loop()) run_loop(*loop, *this);
    if (const BranchStep* branch = instruction.branch()) run_branch(*branch, *this);
    if (scheduled_ != nullptr) wait_for(*instruction.control());
  } catch (const Error& error) {
    fail(index, error);
  }
}

// Its plans work in default streams, and those of the schedule know nothing of it.
void Frame::wait_for(const ControlStep& control) {
  for (const Plan* plan : control.plans()) {
    for (device::Device* device : plan->queued_devices) {
      const profiler::Scope scope(transfer::wait_label(*device));
      device->synchronize_stream(device->default_stream());
    }
  }
}

void Frame::copy(const TransferStep& step, const Record& record) const {
  const PlanValue& from = plan_.values[static_cast<std::size_t>(step.from)];
  const PlanValue& to = plan_.values[static_cast<std::size_t>(step.to)];
  if (from.bytes == 0) return;
  const transfer::End source{from.space, data(step.from)};
  const transfer::End target{to.space, data(step.to)};
  loci_stream* stream = record.call.stream;
  if (!record.waits) {
    transfer::enqueue_copy(source, target, from.bytes, step.labels, stream);
    return;
  }
  if (stream == nullptr) stream = stream_of(to.space != nullptr ? to.space : from.space);
  // The host waits: the memory of either end may be used again by the next instruction.
  transfer::copy(source, target, from.bytes, step.labels, stream, /*wait=*/true);
}

void Frame::copy_within(ValueId from, ValueId to, const char* consumer) {
  const PlanValue& source = plan_.values[static_cast<std::size_t>(from)];
  const PlanValue& target = plan_.values[static_cast<std::size_t>(to)];
  if (source.bytes == 0) return;
  const Space stream_space = target.space != nullptr ? target.space : source.space;
  transfer::copy({source.space, data(from)}, {target.space, data(to)}, source.bytes,
                 {target.name, "", consumer, transfer::Reason::kPrepareData},
                 stream_of(stream_space), /*wait=*/source.space != target.space);
}

}  // namespace loci::execution
