// The members of a recording in the order in which a profile file holds them. An archive is called
// with them: a ByteWriter or a ByteReader (see byte_archive.h). A change here is a new version of
// the file.
#pragma once

#include <concepts>
#include <type_traits>

#include "framework/profiler/recording.h"

namespace loci::profiler {

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

template <class Archive>
void session_fields(Archive& archive, Is<Recording> auto& recording) {
  archive(recording.level, recording.main_thread, recording.wall_ns, recording.started_at_unix_ns,
          recording.process_id, recording.rank, recording.world_size, recording.program,
          recording.version, recording.build, recording.machine);
}

template <class Archive>
void fields(Archive& archive, Is<Label> auto& label) {
  archive(label.kind, label.name, label.instance, label.place, label.kernel, label.detail,
          label.flops, label.bytes, label.variable, label.producer, label.consumer, label.reason,
          label.source, label.target);
}

template <class Archive>
void fields(Archive& archive, Is<Span> auto& span) {
  archive(span.begin_ns, span.end_ns, span.correlation, span.label, span.depth, span.flags);
}

template <class Archive>
void fields(Archive& archive, Is<Thread> auto& thread) {
  archive(thread.os_id, thread.name, thread.spans);
}

template <class Archive>
void fields(Archive& archive, Is<loci_launch_geometry> auto& geometry) {
  archive(geometry.grid, geometry.block, geometry.registers, geometry.static_shared,
          geometry.dynamic_shared, geometry.occupancy);
}

template <class Archive>
void fields(Archive& archive, Is<DeviceSpan> auto& span) {
  archive(span.begin_ns, span.end_ns, span.correlation, span.bytes, span.name, span.kind,
          span.direction, span.device, span.stream, span.graph, span.replay, span.algorithm_bytes,
          span.geometry);
}

template <class Archive>
void fields(Archive& archive, Is<MemoryLevel> auto& level) {
  archive(level.call_bytes, level.bytes);
}

template <class Archive>
void fields(Archive& archive, Is<DeviceFacts> auto& device) {
  archive(device.place, device.name, device.driver, device.is_accelerator, device.measured_flops,
          device.measured_bytes, device.described_flops, device.described_bytes,
          device.total_memory, device.levels, device.is_queued);
}

template <class Archive>
void fields(Archive& archive, Is<MemoryEvent> auto& event) {
  archive(event.at_ns, event.address, event.bytes, event.name, event.place, event.thread,
          event.is_free);
}

template <class Archive>
void fields(Archive& archive, Is<StepMark> auto& step) {
  archive(step.begin_ns, step.end_ns, step.number);
}

template <class Archive>
void fields(Archive& archive, Is<Drop> auto& drop) {
  archive(drop.kind, drop.count);
}

template <class Archive>
void fields(Archive& archive, Is<Quality> auto& quality) {
  archive(quality.drops, quality.clock_error_ns, quality.clock, quality.own_cost_ns,
          quality.drain_cost_ns, quality.notes);
}

}  // namespace loci::profiler
