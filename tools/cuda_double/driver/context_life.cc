#include "tools/cuda_double/driver/context_life.h"

#include "tools/cuda_double/driver/loaded_module.h"
#include "tools/cuda_double/driver/memory.h"

namespace loci::cuda_double {

void end_context(Call& call, Context& context) {
  try {
    call.driver.wait_for_all(call.lock, context);
  } catch (const DriverError&) {  // what ends has its error behind it
  }
  for (const auto& module : call.driver.registry.all<LoadedModule>()) {
    if (&module->context == &context) module->unload();
  }
  for (const auto& library : call.driver.registry.all<Library>()) {
    library->modules.erase(&context);
  }
  for (const auto& event : call.driver.registry.all<Event>()) {
    if (&event->context == &context) call.driver.registry.remove(event.get());
  }
  free_all_of(call, context);
  context.end();
}

}  // namespace loci::cuda_double
