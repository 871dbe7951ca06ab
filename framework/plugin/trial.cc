#include "framework/plugin/trial.h"

namespace loci::plugin {

void try_out(Record& record, const CallWatch::Function& step) {
  const CallWatch watch(step);
  NameOwners owners;
  activate(record, owners);
  if (record.instance == nullptr) return;
  attempt(record, [&record] {
    for (const Taken& each : record.taken) each.contribution->try_out();
    record.instance->destroy_or_throw();
  });
  record.instance->destroy();  // of one that failed
}

}  // namespace loci::plugin
