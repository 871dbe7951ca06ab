#include "tools/cuda_double/ptx/kernel_fault.h"

#include <fmt/format.h>

namespace loci::cuda_double {
namespace {

std::string message(const FaultReport& report) {
  std::string text = fmt::format("[{}] {}", report.kernel, report.text);
  if (!report.source.empty()) text += fmt::format(", at {}", report.source);
  if (!report.inlined.empty()) text += fmt::format(" ({})", report.inlined);
  if (report.ptx_line != 0) {
    text += fmt::format(", PTX line {}: {}", report.ptx_line, report.instruction);
  }
  if (report.has_thread) {
    text += fmt::format("; block ({},{},{}), thread ({},{},{})", report.block.x, report.block.y,
                        report.block.z, report.thread.x, report.thread.y, report.thread.z);
  }
  return text;
}

}  // namespace

KernelFault::KernelFault(FaultReport report)
    : std::runtime_error(message(report)), report_(std::move(report)) {}

std::string_view fault_kind_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds: return "out of bounds";
    case FaultKind::kUseAfterFree: return "use after free";
    case FaultKind::kMisaligned: return "misaligned access";
    case FaultKind::kWrongSpace: return "wrong memory";
    case FaultKind::kNoPeerAccess: return "no peer access";
    case FaultKind::kUndefinedValue: return "undefined value";
    case FaultKind::kSharedRace: return "race in shared memory";
    case FaultKind::kGlobalRace: return "race in global memory";
    case FaultKind::kDivergentBarrier: return "divergent barrier";
    case FaultKind::kMissingLanes: return "missing lanes";
    case FaultKind::kDeadlock: return "deadlock";
    case FaultKind::kBadBarrier: return "bad barrier";
    case FaultKind::kCallDepth: return "stack overflow";
    case FaultKind::kBadCall: return "bad call";
    case FaultKind::kInstructionLimit: return "too many instructions";
    case FaultKind::kAssertion: return "failed assertion";
    case FaultKind::kTrap: return "trap";
    case FaultKind::kUnsupported: return "unsupported instruction";
    case FaultKind::kLaunch: return "bad launch";
  }
  return "fault";
}

}  // namespace loci::cuda_double
