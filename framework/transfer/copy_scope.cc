#include "framework/transfer/copy_scope.h"

#include <array>
#include <string>

#include "framework/core/context.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/label_table.h"

namespace loci::transfer {
namespace {

// A key of one label. The names are interned, so that equal names are equal pointers.
struct Key {
  const device::Device* from = nullptr;
  const device::Device* to = nullptr;
  std::uint64_t bytes = 0;
  const char* variable = nullptr;
  const char* producer = nullptr;
  const char* consumer = nullptr;
  Reason reason = Reason::kExplicit;

  friend bool operator==(const Key&, const Key&) = default;
};

std::size_t hash(const Key& key) {
  std::size_t value = key.bytes + static_cast<std::size_t>(key.reason);
  for (const void* part :
       {static_cast<const void*>(key.from), static_cast<const void*>(key.to),
        static_cast<const void*>(key.variable), static_cast<const void*>(key.producer),
        static_cast<const void*>(key.consumer)}) {
    value = (value ^ reinterpret_cast<std::uintptr_t>(part)) * 0x9E3779B97F4A7C15U;
  }
  return value >> 32;
}

std::string place_text(const device::Device* device) {
  return device == nullptr ? Place().to_string() : device->place().to_string();
}

bool crosses(const Key& key) {
  const auto space = [](const device::Device* device) {
    return device == nullptr || device->uses_host_memory() ? nullptr : device;
  };
  return space(key.from) != space(key.to);
}

profiler::LabelId intern_label(const Key& key) {
  return profiler::LabelTable::instance().intern(
      {.kind = LOCI_SPAN_COPY,
       .name = "copy",
       .bytes = key.bytes,
       .variable = key.variable,
       .producer = key.producer,
       .consumer = key.consumer,
       .reason = std::string(crosses(key) || key.reason == Reason::kPack ? reason_name(key.reason)
                                                                         : "local"),
       .source = place_text(key.from),
       .target = place_text(key.to)});
}

// Labels of what this thread copied lately, in a context whose devices they name.
struct RecentLabels {
  static constexpr auto kThreadSlot = core::ThreadSlot::kCopyLabels;
  struct Entry {
    Key key;
    profiler::LabelId label = 0;
  };
  std::array<Entry, 256> entries;
};

profiler::LabelId label_of(const Key& key) {
  auto& recent = core::in_thread<RecentLabels>().entries;
  RecentLabels::Entry& entry = recent[hash(key) % recent.size()];
  if (entry.key != key) entry = {key, intern_label(key)};
  return entry.label;
}

profiler::LabelId label_if_recording(const device::Device* from, const device::Device* to,
                                     std::uint64_t bytes, const Labels& labels) {
  if (!profiler::records_at(profiler::Level::kOp)) return 0;
  return label_of(
      {from, to, bytes, labels.variable, labels.producer, labels.consumer, labels.reason});
}

}  // namespace

CopyScope::CopyScope(const device::Device* from, const device::Device* to, std::uint64_t bytes,
                     const Labels& labels, std::uint64_t correlation)
    : is_fetch_(labels.reason == Reason::kFetch),
      correlation_(correlation != 0 ? correlation : profiler::take_correlations(1)),
      scope_(label_if_recording(from, to, bytes, labels), correlation_) {}

}  // namespace loci::transfer
