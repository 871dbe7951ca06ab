#include "tools/cuda_double/ptx/run/async_copies.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

Warp::Warp() = default;
Warp::~Warp() = default;

void raise_fault(const Warp& warp, FaultKind kind, std::uint32_t lane, const std::string& text,
                 std::uint64_t address) {
  const Grid& grid = *warp.block->grid;
  FaultReport report;
  report.kind = kind;
  report.text = text;
  report.kernel = grid.kernel->name;
  report.address = address;
  report.has_thread = true;
  report.block = warp.block->id;
  report.thread = grid.config->block.place(warp.index * kLanes + lane);
  if (warp.instruction != nullptr) {
    const FunctionCode& function = *warp.frame->function;
    const Place& place = function.places[warp.instruction->place];
    const SourceLine line = source_line(function, warp.instruction->place);
    report.source = line.source;
    report.inlined = line.inlined;
    report.ptx_line = place.ptx_line;
    report.instruction = one_line(place.text);
  }
  throw KernelFault(std::move(report));
}

}  // namespace loci::cuda_double
