#include "tools/conformance/verify/profile/profile_sample.h"

#include <array>
#include <utility>

namespace loci::verify {
namespace {

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kWall = 1000 * kUs;
constexpr std::uint64_t kSampleBytes = 4096;
constexpr std::array<loci_profile_memory_level, 2> kLevels{{{1 << 16, 4e11}, {1 << 26, 1e11}}};
constexpr std::uint32_t kNone = LOCI_PROFILE_NONE;
constexpr std::uint32_t kThreads = 2;
// These are numbers of spans in the table below.
constexpr std::uint32_t kRun = 0;
constexpr std::uint32_t kPrepareData = 3;
constexpr std::uint32_t kCopy = 4;
constexpr std::uint32_t kCompute = 6;

struct Spec {
  std::uint32_t kind;
  const char* name;
  std::uint32_t parent;
  std::uint32_t thread;
  std::uint64_t begin_us;
  std::uint64_t end_us;
  std::uint64_t device_us;
  std::uint64_t correlation;
  std::uint32_t flags;
};

// Spans are ordered by thread and time, one before those within it; each has a path of its own.
constexpr std::array kSpecs{
    Spec{LOCI_SPAN_RUN, "run", kNone, 0, 0, 1000, 360, 0, 0},
    Spec{LOCI_SPAN_FRAMEWORK, "feed", 0, 0, 10, 50, 0, 0, 0},
    Spec{LOCI_SPAN_OP, "mul", 0, 0, 100, 500, 360, 0, 0},
    Spec{LOCI_SPAN_PHASE, "prepare_data", 2, 0, 110, 210, 60, 0, 0},
    Spec{LOCI_SPAN_COPY, "copy", 3, 0, 120, 200, 60, 1, LOCI_SPAN_HOST_WAITED},
    Spec{LOCI_SPAN_PHASE, "infer_shape", 2, 0, 220, 240, 0, 0, 0},
    Spec{LOCI_SPAN_PHASE, "compute", 2, 0, 250, 490, 300, 2, 0},
    Spec{LOCI_SPAN_CALL, "launch", 6, 0, 260, 300, 0, 2, 0},
    Spec{LOCI_SPAN_GRADIENT, "mul_grad", 0, 0, 520, 700, 0, 0, 0},
    Spec{LOCI_SPAN_OP, "sum", 8, 0, 530, 690, 0, 0, LOCI_SPAN_FAILED},
    Spec{LOCI_SPAN_WAIT, "synchronize", 0, 0, 710, 900, 0, 0, 0},
    Spec{LOCI_SPAN_USER, "step", kNone, 1, 0, 800, 0, 0, LOCI_SPAN_TRUNCATED},
    Spec{LOCI_SPAN_OP, "relu", kNone, 1, 810, 860, 0, 0, LOCI_SPAN_PART},
};

bool lies_in(std::uint32_t span, std::uint32_t outer) {
  for (; span != kNone; span = kSpecs[span].parent) {
    if (span == outer) return true;
  }
  return false;
}

std::uint32_t depth_of(std::uint32_t span) {
  std::uint32_t depth = 0;
  while ((span = kSpecs[span].parent) != kNone) ++depth;
  return depth;
}

std::uint64_t self_of(std::uint32_t span) {
  std::uint64_t self = kSpecs[span].end_us - kSpecs[span].begin_us;
  for (const Spec& spec : kSpecs) {
    if (spec.parent == span) self -= spec.end_us - spec.begin_us;
  }
  return self * kUs;
}

std::uint32_t descendants_of(std::uint32_t outer) {
  std::uint32_t count = 0;
  for (std::uint32_t i = outer + 1; i < kSpecs.size(); ++i) count += lies_in(i, outer) ? 1 : 0;
  return count;
}

// How many spans of its thread ended before it.
std::uint32_t order_of(std::uint32_t span) {
  std::uint32_t order = 0;
  for (const Spec& spec : kSpecs) {
    order += spec.thread == kSpecs[span].thread && spec.end_us < kSpecs[span].end_us ? 1 : 0;
  }
  return order;
}

bool waits(const Spec& spec) {
  return spec.kind == LOCI_SPAN_WAIT || (spec.flags & LOCI_SPAN_HOST_WAITED) != 0;
}

template <class T>
void put(const std::vector<T>& items, const T** out, std::uint64_t* out_count) {
  *out = items.empty() ? nullptr : items.data();
  *out_count = items.size();
}

}  // namespace

SampleProfile::SampleProfile(SampleNames names) : names_(names) {
  quality_.struct_size = sizeof quality_;
  quality_.clock = text("monotonic");
  if (names != SampleNames::kNone) {
    add_labels_and_spans();
    add_nodes();
    add_threads();
    add_devices();
    add_memory();
    drops_ = {{text("span"), 3}};
    notes_ = {text("sim: "), name("a note")};
    quality_.truncated_spans = 1;
    quality_.own_cost_ns = 12 * 60;
    steps_ = {{0, kWall, 0}};
  }
  point();
}

loci_str SampleProfile::text(std::string text) {
  const std::string& kept = texts_.emplace_back(std::move(text));
  return {kept.data(), kept.size()};
}

loci_str SampleProfile::name(const char* plain) {
  if (names_ != SampleNames::kOdd) return text(plain);
  const std::array<std::string, 6> odd{
      std::string("\x01\t\r\n\x1b[31m\x7f") + plain,
      std::string("\xff\xfe\xc0\x80\xed\xa0\x80") + plain + "\xe2\x82",
      std::string("\"',;<script>&\\/{}[]|%s%n ") + plain,
      std::string("zero\0inside ", 12) + plain,
      std::string(),
      std::string(100'000, 'x') + plain,
  };
  return text(odd[odd_++ % odd.size()]);
}

void SampleProfile::add_labels_and_spans() {
  for (std::uint32_t i = 0; i < kSpecs.size(); ++i) {
    const Spec& spec = kSpecs[i];
    loci_profile_label& label = labels_.emplace_back();
    label.kind = spec.kind;
    label.name = name(spec.name);
    if (spec.kind == LOCI_SPAN_OP || spec.kind == LOCI_SPAN_GRADIENT) {
      label.instance = name("mul_0");
      label.place = text("sim:0");
      label.kernel = name("portable");
      label.detail = name("x: float32 [32, 32]");
      label.flops = 65536;
      label.bytes = 3 * kSampleBytes;
    }
    if (spec.kind == LOCI_SPAN_WAIT) label.place = text("sim:0");
    if (spec.kind == LOCI_SPAN_USER) label.detail = name("batch 1");
    loci_profile_span& span = spans_.emplace_back();
    span.begin_ns = spec.begin_us * kUs;
    span.end_ns = spec.end_us * kUs;
    span.correlation = spec.correlation;
    span.self_ns = self_of(i);
    span.device_ns = spec.device_us * kUs;
    span.label = i;
    span.parent = spec.parent;
    span.thread = spec.thread;
    span.node = i;
    span.depth = depth_of(i);
    span.flags = spec.flags;
  }
  loci_profile_label& copy = labels_[kCopy];
  copy.bytes = kSampleBytes;
  copy.variable = name("x");
  copy.consumer = name("mul_0");
  copy.reason = text("prepare_data");
  copy.source = text("cpu");
  copy.target = text("sim:0");
}

void SampleProfile::add_nodes() {
  for (std::uint32_t i = 0; i < spans_.size(); ++i) {
    loci_profile_node& node = nodes_.emplace_back();
    node.total_ns = spans_[i].end_ns - spans_[i].begin_ns;
    node.self_ns = spans_[i].self_ns;
    node.device_ns = node.device_union_ns = spans_[i].device_ns;
    if ((spans_[i].flags & LOCI_SPAN_PART) != 0) {
      node.parts = 1;
    } else {
      node.calls = 1;
      node.min_ns = node.max_ns = node.total_ns;
      node.flops = labels_[i].flops;
      node.bytes = labels_[i].bytes;
    }
    node.label = i;
    node.parent = spans_[i].parent;
    node.descendants = descendants_of(i);
    node.depth = spans_[i].depth;
    node.thread = kNone;
    node.first_order = order_of(i);
    node.first_span = i;
    node_spans_.push_back(i);
  }
  thread_nodes_ = nodes_;
  for (std::uint32_t i = 0; i < spans_.size(); ++i) thread_nodes_[i].thread = spans_[i].thread;
}

void SampleProfile::add_threads() {
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    loci_profile_thread& thread = threads_.emplace_back();
    thread.os_id = 1000 + number;
    thread.name = name(number == 0 ? "main" : "loader");
    thread.number = number;
    for (std::uint32_t i = 0; i < kSpecs.size(); ++i) {
      if (kSpecs[i].thread != number) continue;
      ++thread.span_count;
      const std::uint64_t time = spans_[i].end_ns - spans_[i].begin_ns;
      if (kSpecs[i].parent == kNone) thread.wall_ns += time;
      waits(kSpecs[i]) ? thread.idle_ns += time : thread.self_ns += spans_[i].self_ns;
    }
  }
}

void SampleProfile::add_devices() {
  loci_profile_device& host = devices_.emplace_back();
  host.place = text("cpu");
  host.name = name("a processor");
  loci_profile_device& device = devices_.emplace_back();
  device.place = text("sim:0");
  device.name = name("an accelerator");
  device.driver = text("1.0");
  device.is_accelerator = 1;
  device.is_queued = 1;
  device.levels = kLevels.data();
  device.level_count = kLevels.size();
  device.stream_count = 1;
  device.busy_ns = device.total_ns = 360 * kUs;
  device.described_flops = 1e12;
  device.described_bytes = 1e11;
  device.total_memory = std::uint64_t{1} << 30;

  loci_profile_device_span& copy = device_spans_.emplace_back();
  copy.begin_ns = 130 * kUs;
  copy.end_ns = 190 * kUs;
  copy.correlation = 1;
  copy.bytes = kSampleBytes;
  copy.name = text("memcpy HtoD");
  copy.kind = LOCI_DEVICE_WORK_COPY;
  copy.direction = LOCI_COPY_HOST_TO_DEVICE;
  copy.device = 1;
  copy.span = kCopy;
  loci_profile_device_span& kernel = device_spans_.emplace_back();
  kernel.begin_ns = 320 * kUs;
  kernel.end_ns = 620 * kUs;
  kernel.correlation = 2;
  kernel.name = name("gemm<float>");
  kernel.kind = LOCI_DEVICE_WORK_KERNEL;
  kernel.device = 1;
  kernel.span = kCompute;
  kernel.geometry = {{8, 1, 1}, {128, 1, 1}, 32, 0, 4096, 0, 0.5};
  gaps_ = {{190 * kUs, 320 * kUs, 1, LOCI_GAP_HOST_LATE, kCompute, 1}};
  copies_ = {{kCopy, 1, 1, 1, kSampleBytes, 80 * kUs, 60 * kUs}};
}

void SampleProfile::add_memory() {
  memory_events_ = {{115 * kUs, 64, kSampleBytes, kSampleBytes, 0, kPrepareData, 0, 0},
                    {950 * kUs, 64, kSampleBytes, 0, 0, kRun, 1, 0}};
  tensors_ = {{name("x"), text("sim:0"), 1, kSampleBytes, 1, kSampleBytes, kSampleBytes}};
}

void SampleProfile::point() {
  profile_.struct_size = sizeof profile_;
  profile_.level = LOCI_PROFILE_LEVEL_DETAIL;
  profile_.wall_ns = kWall;
  profile_.started_at_unix_ns = UINT64_C(1'700'000'000'000'000'000);
  profile_.process_id = 4711;
  profile_.rank = 1;
  profile_.world_size = 2;
  profile_.program = name("program");
  profile_.version = text("0.1.0");
  profile_.build = text("00ff");
  profile_.machine = text("a machine");
  put(labels_, &profile_.labels, &profile_.label_count);
  put(threads_, &profile_.threads, &profile_.thread_count);
  put(devices_, &profile_.devices, &profile_.device_count);
  put(steps_, &profile_.steps, &profile_.step_count);
  put(spans_, &profile_.spans, &profile_.span_count);
  put(device_spans_, &profile_.device_spans, &profile_.device_span_count);
  put(nodes_, &profile_.nodes, &profile_.node_count);
  put(thread_nodes_, &profile_.thread_nodes, &profile_.thread_node_count);
  profile_.node_spans = profile_.thread_node_spans = node_spans_.data();
  put(copies_, &profile_.copies, &profile_.copy_count);
  put(memory_events_, &profile_.memory_events, &profile_.memory_event_count);
  put(tensors_, &profile_.tensors, &profile_.tensor_count);
  put(gaps_, &profile_.gaps, &profile_.gap_count);
  put(drops_, &quality_.drops, &quality_.drop_count);
  put(notes_, &quality_.notes, &quality_.note_count);
  profile_.quality = &quality_;
}

}  // namespace loci::verify
