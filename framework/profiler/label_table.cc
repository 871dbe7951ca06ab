#include "framework/profiler/label_table.h"

#include <functional>
#include <string>
#include <string_view>

namespace loci::profiler {
namespace {

loci_str text(const std::string& value) { return {value.data(), value.size()}; }

constexpr LabelId kOther = 0;

}  // namespace

loci_profile_label to_abi(const Label& label) {
  return {.kind = label.kind,
          .reserved_zero = 0,
          .name = text(label.name),
          .instance = text(label.instance),
          .place = text(label.place),
          .kernel = text(label.kernel),
          .detail = text(label.detail),
          .flops = label.flops,
          .bytes = label.bytes,
          .variable = text(label.variable),
          .producer = text(label.producer),
          .consumer = text(label.consumer),
          .reason = text(label.reason),
          .source = text(label.source),
          .target = text(label.target)};
}

std::size_t LabelTable::Hash::operator()(const Label* label) const {
  std::size_t value = label->kind;
  const auto mix = [&value](std::size_t next) { value = value * 0x9E3779B97F4A7C15U + next; };
  for (const std::string* part :
       {&label->name, &label->instance, &label->place, &label->kernel, &label->detail,
        &label->variable, &label->producer, &label->consumer, &label->reason, &label->source,
        &label->target}) {
    mix(std::hash<std::string_view>()(*part));
  }
  mix(label->flops);
  mix(label->bytes);
  return value;
}

LabelTable& LabelTable::instance() {
  // Never destroyed: threads may record after main has returned.
  static LabelTable& table = *new LabelTable;
  return table;
}

LabelTable::LabelTable(std::size_t most) : most_(most) { add({.name = "(other)"}); }

LabelId LabelTable::add(const Label& label) {
  entries_.push_back({label, {}});
  Entry& entry = entries_.back();
  entry.abi = to_abi(entry.label);
  const auto id = static_cast<LabelId>(entries_.size() - 1);
  try {
    index_.emplace(&entry.label, id);
  } catch (...) {
    entries_.pop_back();
    throw;
  }
  return id;
}

LabelId LabelTable::intern(const Label& label) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(&label);
  if (found != index_.end()) return found->second;
  return entries_.size() < most_ ? add(label) : kOther;
}

const loci_profile_label& LabelTable::abi(LabelId id) const {
  const std::lock_guard lock(mutex_);
  return entries_[id].abi;
}

Label LabelTable::at(LabelId id) const {
  const std::lock_guard lock(mutex_);
  return entries_[id].label;
}

std::size_t LabelTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace loci::profiler
