#include "framework/transfer/wait_label.h"

#include "framework/profiler/enabled.h"
#include "framework/profiler/label_table.h"

namespace loci::transfer {

profiler::LabelId wait_label(const device::Device& device) {
  if (!profiler::records_at(profiler::Level::kOp)) return 0;
  return profiler::LabelTable::instance().intern(
      {.kind = LOCI_SPAN_WAIT, .name = "synchronize", .place = device.place().to_string()});
}

}  // namespace loci::transfer
