// A plugin tried out, at the risk of this process.
#pragma once

#include "framework/plugin/foreign_call.h"
#include "framework/plugin/loader.h"

namespace loci::plugin {

// Takes an examined candidate through everything that discovery calls, opens and closes its
// devices, and takes its instance down again. A failure stays in the report, as in activate(), and
// a device that cannot be opened is none; `step` is told of each call before it is made.
void try_out(Record& record, const CallWatch::Function& step);

}  // namespace loci::plugin
