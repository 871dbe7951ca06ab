// Contexts, primary and others, and which is current.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/context_life.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

constexpr unsigned kScheduling =
    CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD | CU_CTX_SCHED_BLOCKING_SYNC;
constexpr unsigned kFlags = kScheduling | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX;

void check_flags(unsigned flags) { require((flags & ~kFlags) == 0, "unknown flags"); }

std::vector<Context*>& stack() { return ThreadState::get().contexts; }

}  // namespace

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return enter("cuDevicePrimaryCtxRetain", kPlain, [&](Call& call) {
    Device& owner = call.driver.device(device);
    auto& place = result(context);
    if (!owner.primary->is_alive()) owner.primary->begin(owner.primary_flags | CU_CTX_MAP_HOST);
    ++owner.primary->retained;
    place = handle_of<CUcontext>(owner.primary.get());
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  return enter("cuDevicePrimaryCtxRelease_v2", kPlain, [&](Call& call) {
    Context& primary = *call.driver.device(device).primary;
    require(primary.retained > 0, CUDA_ERROR_INVALID_CONTEXT, "it is not retained");
    if (--primary.retained == 0 && primary.is_alive()) end_context(call, primary);
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return enter("cuDevicePrimaryCtxSetFlags_v2", kPlain, [&](Call& call) {
    check_flags(flags);
    Device& owner = call.driver.device(device);
    owner.primary_flags = flags;
    if (owner.primary->is_alive()) owner.primary->flags = flags | CU_CTX_MAP_HOST;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return enter("cuDevicePrimaryCtxGetState", kPlain, [&](Call& call) {
    const Device& owner = call.driver.device(device);
    result(flags) = owner.primary_flags;
    result(active) = owner.primary->is_alive() ? 1 : 0;
  });
}

CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device) {
  return enter("cuDevicePrimaryCtxReset_v2", kPlain, [&](Call& call) {
    Context& primary = *call.driver.device(device).primary;
    if (primary.is_alive()) end_context(call, primary);
  });
}

CUresult CUDAAPI cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                             CUdevice device) {
  return enter("cuCtxCreate_v4", kPlain, [&](Call& call) {
    auto& place = result(context);
    check_flags(flags);
    require(parameters == nullptr ||
                (parameters->execAffinityParams == nullptr && parameters->cigParams == nullptr),
            CUDA_ERROR_NOT_SUPPORTED, "the double has no affinity and no graphics");
    auto made = std::make_shared<Context>(call.driver.device(device), false);
    made->begin(flags | CU_CTX_MAP_HOST);
    call.driver.registry.add(made);
    call.driver.all_contexts.push_back(made);
    stack().push_back(made.get());
    place = handle_of<CUcontext>(made.get());
  });
}

CUresult CUDAAPI cuCtxDestroy(CUcontext context) {
  return enter("cuCtxDestroy_v2", kPlain, [&](Call& call) {
    require(context != nullptr, "there is no context");
    const auto destroyed = context_of(call, context);
    require(!destroyed->is_primary, CUDA_ERROR_INVALID_CONTEXT,
            "a primary context is released, not destroyed");
    end_context(call, *destroyed);
    call.driver.registry.remove(destroyed.get());
    if (!stack().empty() && stack().back() == destroyed.get()) stack().pop_back();
  });
}

CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  return enter("cuCtxPushCurrent_v2", kPlain, [&](Call& call) {
    require(context != nullptr, "there is no context");
    stack().push_back(context_of(call, context).get());
  });
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext* context) {
  return enter("cuCtxPopCurrent_v2", kPlain, [&](Call&) {
    require(!stack().empty() && stack().back() != nullptr, CUDA_ERROR_INVALID_CONTEXT,
            "no context is current");
    if (context != nullptr) *context = handle_of<CUcontext>(stack().back());
    stack().pop_back();
  });
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  return enter("cuCtxSetCurrent", kPlain, [&](Call& call) {
    Context* chosen = context == nullptr ? nullptr : context_of(call, context).get();
    if (!stack().empty()) stack().pop_back();
    if (chosen != nullptr) stack().push_back(chosen);
  });
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) {
  return enter("cuCtxGetCurrent", kPlain, [&](Call&) {
    result(context) = stack().empty() ? nullptr : handle_of<CUcontext>(stack().back());
  });
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  return enter("cuCtxGetDevice", kNeedsContext | kDespiteErrors,
               [&](Call& call) { result(device) = call.context().device.ordinal(); });
}

CUresult CUDAAPI cuCtxGetFlags(unsigned* flags) {
  return enter("cuCtxGetFlags", kNeedsContext | kDespiteErrors,
               [&](Call& call) { result(flags) = call.context().flags; });
}

CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long* id) {
  return enter("cuCtxGetId", context == nullptr ? kNeedsContext : kPlain, [&](Call& call) {
    result(id) = context == nullptr ? call.context().id : context_of(call, context)->id;
  });
}

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return enter("cuCtxGetApiVersion", context == nullptr ? kNeedsContext : kPlain, [&](Call& call) {
    if (context != nullptr) static_cast<void>(context_of(call, context));
    result(version) = 3020;
  });
}

CUresult CUDAAPI cuCtxSynchronize() {
  return enter("cuCtxSynchronize", kNeedsContext, [&](Call& call) {
    Context& context = call.context();
    for (Capture* capture : context.captures) capture->invalidate();
    require(context.captures.empty(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "a stream of the context is captured");
    call.driver.wait_for_all(call.lock, context);
    release_unused(context.device);
  });
}

CUresult CUDAAPI cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return enter("cuCtxGetLimit", kNeedsContext, [&](Call& call) {
    const auto& limits = call.context().limits;
    const auto found = limits.find(limit);
    require(found != limits.end(), "there is no such limit");
    result(value) = found->second;
  });
}

CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return enter("cuCtxSetLimit", kNeedsContext, [&](Call& call) {
    auto& limits = call.context().limits;
    require(limits.contains(limit), "there is no such limit");
    if (limits[limit] == value) return;
    call.driver.wait_for_all(call.lock, call.context());
    limits[limit] = value;
  });
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return enter("cuCtxGetStreamPriorityRange", kNeedsContext, [&](Call&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return enter("cuCtxEnablePeerAccess", kNeedsContext, [&](Call& call) {
    require(flags == 0, "flags have to be 0");
    const auto other = context_of(call, peer);
    require(&other->device != &call.context().device, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
            "a device is no peer of itself");
    require(call.driver.settings.have_peers, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
            "the devices are no peers");
    require(call.context().add_peer(*other), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            "it is enabled already");
  });
}

CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peer) {
  return enter("cuCtxDisablePeerAccess", kNeedsContext, [&](Call& call) {
    require(call.context().remove_peer(*context_of(call, peer)), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            "it is not enabled");
  });
}
