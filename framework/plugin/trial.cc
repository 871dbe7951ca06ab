#include "framework/plugin/trial.h"

namespace loci::plugin {

void try_out(Record& record, const CallWatch::Function& step) {
  const CallWatch watch(step);
  OpOwners owners;
  activate(record, owners);
  if (record.instance == nullptr) return;
  attempt(record, [&record] {
    if (record.backend.device != nullptr) try_devices(*record.backend.device);
    record.instance->destroy_or_throw();
  });
  record.instance->destroy();  // of one that failed
}

}  // namespace loci::plugin
