#include "plugins/report_data/profile_json.h"

#include <loci/plugin/reporter.hpp>

#include "plugins/report_data/words.h"

namespace loci::report {

void write_session(JsonWriter& json, const loci_profile& profile) {
  json.begin_object()
      .member("program", profile.program)
      .member("version", profile.version)
      .member("build", profile.build)
      .member("machine", profile.machine)
      .member("process_id", profile.process_id)
      .member("rank", profile.rank)
      .member("world_size", profile.world_size)
      .member("started_at_unix_ns", profile.started_at_unix_ns)
      .member("wall_ns", profile.wall_ns)
      .member("level", level_word(profile.level))
      .member("main_thread", profile.main_thread)
      .member("spans", profile.span_count)
      .member("device_spans", profile.device_span_count)
      .member("memory_events", profile.memory_event_count)
      .end_object();
}

void write_threads(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_thread& thread : sdk::threads_of(profile)) {
    json.begin_object()
        .member("number", thread.number)
        .member("os_id", thread.os_id)
        .member("name", thread.name)
        .member("spans", thread.span_count)
        .member("wall_ns", thread.wall_ns)
        .member("self_ns", thread.self_ns)
        .member("idle_ns", thread.idle_ns)
        .member("unaccounted_ns", thread.unaccounted_ns)
        .end_object();
  }
  json.end_array();
}

void write_devices(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    json.begin_object()
        .member("place", device.place)
        .member("name", device.name)
        .member("driver", device.driver)
        .member("is_accelerator", device.is_accelerator != 0)
        .member("streams", device.stream_count)
        .member("busy_ns", device.busy_ns)
        .member("total_ns", device.total_ns)
        .member("measured_flops", device.measured_flops)
        .member("measured_bytes", device.measured_bytes)
        .member("described_flops", device.described_flops)
        .member("described_bytes", device.described_bytes)
        .member("total_memory", device.total_memory)
        .member("is_queued", device.is_queued != 0)
        .key("memory_levels")
        .begin_array();
    for (const loci_profile_memory_level& level : sdk::levels_of(device)) {
      json.begin_object()
          .member("call_bytes", level.call_bytes)
          .member("bytes", level.bytes)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_steps(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    json.begin_object()
        .member("number", step.number)
        .member("begin_ns", step.begin_ns)
        .member("end_ns", step.end_ns)
        .end_object();
  }
  json.end_array();
}

void write_tensors(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_tensor& tensor : sdk::tensors_of(profile)) {
    json.begin_object()
        .member("name", tensor.name)
        .member("place", tensor.place)
        .member("allocations", tensor.allocations)
        .member("allocated_bytes", tensor.allocated_bytes)
        .member("frees", tensor.frees)
        .member("freed_bytes", tensor.freed_bytes)
        .member("peak_bytes", tensor.peak_bytes)
        .end_object();
  }
  json.end_array();
}

void write_quality(JsonWriter& json, const loci_profile_quality& quality) {
  json.begin_object().key("dropped").begin_array();
  for (const loci_profile_drop& drop : sdk::drops_of(quality)) {
    json.begin_object().member("kind", drop.kind).member("count", drop.count).end_object();
  }
  json.end_array()
      .member("truncated_spans", quality.truncated_spans)
      .member("unattributed_device_spans", quality.unattributed_device_spans)
      .member("unattributed_device_ns", quality.unattributed_device_ns)
      .member("clock", quality.clock)
      .member("clock_error_ns", quality.clock_error_ns)
      .member("own_cost_ns", quality.own_cost_ns)
      .member("drain_cost_ns", quality.drain_cost_ns)
      .key("notes")
      .begin_array();
  for (const loci_str note : sdk::notes_of(quality)) json.value(note);
  json.end_array().end_object();
}

}  // namespace loci::report
