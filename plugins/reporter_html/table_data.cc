#include "plugins/reporter_html/table_data.h"

#include <loci/plugin/reporter.hpp>

#include "plugins/report_data/rates.h"
#include "plugins/report_data/words.h"

namespace loci::report {

void write_label_rows(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_label& label : sdk::labels_of(profile)) {
    json.begin_array().value(span_kind_word(label.kind)).value(label.name).value(label.instance);
    json.value(label.place).value(label.kernel).value(label.detail);
    json.value(label.flops).value(label.bytes).value(label.variable);
    json.value(label.producer).value(label.consumer).value(label.reason);
    json.value(label.source).value(label.target).end_array();
  }
  json.end_array();
}

void write_node_rows(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_node& node : sdk::nodes_of(profile)) {
    json.begin_array().value(node.label);
    if (node.parent == LOCI_PROFILE_NONE) {
      json.raw("-1");
    } else {
      json.value(node.parent);
    }
    json.value(node.depth).value(node.calls).value(node.total_ns).value(node.self_ns);
    json.value(node.min_ns).value(node.max_ns).value(node.device_ns);
    json.value(node.device_union_ns).value(node.flops).value(node.bytes);
    json.value(busy_ns(profile, node)).end_array();
  }
  json.end_array();
}

void write_copy_rows(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    json.begin_array().value(copy.label).value(copy.crosses).value(copy.calls);
    json.value(copy.waited).value(copy.bytes).value(copy.host_ns).value(copy.device_ns);
    json.value(busy_ns(profile, copy)).end_array();
  }
  json.end_array();
}

}  // namespace loci::report
