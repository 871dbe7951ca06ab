// Reporter "nvtx": each span opens and closes a range of NVTX while it runs, so that NVIDIA's tools
// show operators beside the kernels they launch. Without such a tool it does nothing; it writes no
// report. A range is named for the span: "mul fc_0", "copy x cpu -> cuda:0".
#pragma once

#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_nvtx/nvtx_tool.h"

namespace loci::report {

class NvtxReporter {
 public:
  // Logs which tool listens. Throws Error(LOCI_CODE_INVALID_ARGUMENT) for any option but "quality",
  // which every reporter takes and which means nothing here.
  NvtxReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  NvtxReporter(const sdk::Host& host, const sdk::ReporterOptions& options, const NvtxTool& tool);

  // No lock and no allocation of their own.
  void range_begin(const loci_profile_label& label) const;
  void range_end() const;

 private:
  int (*push_)(const char* message);
  int (*pop_)();
};

}  // namespace loci::report
