// Modules, libraries, and their functions and variables.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/image.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

std::vector<std::string> texts_of(const void* image) {
  require(image != nullptr, "there is no image");
  return ptx_texts(image);
}

CUresult load(const char* name, CUmodule* module, const void* image, unsigned count,
              CUjit_option* options, void** values) {
  return enter(name, kNeedsContext | kSpoilsCapture, [&](Call& call) {
    auto& place = result(module);
    CompileLog log(count, options, values);
    const auto texts = texts_of(image);
    call.driver.wait_for_all(call.lock, call.context());
    place = handle_of<CUmodule>(load_module(call, call.context(), texts, log).get());
  });
}

const char* name_text(const char* name) {
  require(name != nullptr && *name != '\0', "there is no name");
  return name;
}

void variable_of(const LoadedModule& module, CUdeviceptr* address, std::size_t* bytes,
                 const char* name) {
  const Variable found = module.variable(name_text(name));
  if (address != nullptr) *address = found.address;
  if (bytes != nullptr) *bytes = found.bytes;
}

void parameter_info(const LoadedFunction& function, std::size_t index, std::size_t* offset,
                    std::size_t* bytes) {
  const auto& layouts = function.code.parameters();
  require(index < layouts.size(), "there is no such parameter");
  result(offset) = layouts[index].offset;
  if (bytes != nullptr) *bytes = layouts[index].bytes;
}

std::shared_ptr<LoadedFunction> function_in_current(Call& call, const void* handle) {
  return function_of(call, handle, call.context());
}

// In the primary context of the device.
std::shared_ptr<LoadedFunction> function_on(Call& call, CUkernel kernel, CUdevice device) {
  return function_of(call, kernel, *call.driver.device(device).primary);
}

}  // namespace

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
  return load("cuModuleLoadData", module, image, 0, nullptr, nullptr);
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                    CUjit_option* options, void** values) {
  return load("cuModuleLoadDataEx", module, image, count, options, values);
}

CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load("cuModuleLoadFatBinary", module, image, 0, nullptr, nullptr);
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  return enter("cuModuleUnload", kNeedsContext | kSpoilsCapture, [&](Call& call) {
    const auto unloaded = module_of(call, module);
    require(!unloaded->of_library, CUDA_ERROR_NOT_PERMITTED, "the module is a library's");
    call.driver.wait_for_all(call.lock, unloaded->context);
    unloaded->unload();
  });
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return enter("cuModuleGetFunction", kNeedsContext, [&](Call& call) {
    auto& place = result(function);
    place = handle_of<CUfunction>(module_of(call, module)->function(name_text(name)).get());
  });
}

CUresult CUDAAPI cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return enter("cuModuleGetFunctionCount", kNeedsContext, [&](Call& call) {
    result(count) = static_cast<unsigned>(module_of(call, module)->code->functions().size());
  });
}

CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                                   const char* name) {
  return enter("cuModuleGetGlobal_v2", kNeedsContext,
               [&](Call& call) { variable_of(*module_of(call, module), address, bytes, name); });
}

CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return enter("cuModuleGetLoadingMode", kBeforeInit,
               [&](Call&) { result(mode) = CU_MODULE_EAGER_LOADING; });
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options,
                                   void** values, unsigned count, CUlibraryOption*, void**,
                                   unsigned) {
  return enter("cuLibraryLoadData", kPlain, [&](Call& call) {
    auto& place = result(library);
    const CompileLog log(count, options, values);
    auto made = std::make_shared<Library>(texts_of(image));
    call.driver.registry.add(made);
    place = handle_of<CUlibrary>(made.get());
  });
}

CUresult CUDAAPI cuLibraryUnload(CUlibrary library) {
  return enter("cuLibraryUnload", kPlain, [&](Call& call) {
    const auto unloaded = library_of(call, library);
    for (const auto& [context, module] : unloaded->modules) {
      if (context->is_alive()) call.driver.wait_for_all(call.lock, *context);
      module->unload();
    }
    for (const auto& [name, kernel] : unloaded->kernels) call.driver.registry.remove(kernel.get());
    call.driver.registry.remove(unloaded.get());
  });
}

CUresult CUDAAPI cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return enter("cuLibraryGetKernel", kNeedsContext, [&](Call& call) {
    auto& place = result(kernel);
    const auto of = library_of(call, library);
    static_cast<void>(of->module_in(call, call.context()).function(name_text(name)));
    auto& known = of->kernels[name];
    if (known == nullptr) {
      known = std::make_shared<LibraryKernel>(*of, name);
      call.driver.registry.add(known);
    }
    place = handle_of<CUkernel>(known.get());
  });
}

CUresult CUDAAPI cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return enter("cuLibraryGetKernelCount", kNeedsContext, [&](Call& call) {
    const auto& module = library_of(call, library)->module_in(call, call.context());
    result(count) = static_cast<unsigned>(module.code->functions().size());
  });
}

CUresult CUDAAPI cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return enter("cuLibraryGetModule", kNeedsContext, [&](Call& call) {
    result(module) =
        handle_of<CUmodule>(&library_of(call, library)->module_in(call, call.context()));
  });
}

CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library,
                                    const char* name) {
  return enter("cuLibraryGetGlobal", kNeedsContext, [&](Call& call) {
    variable_of(library_of(call, library)->module_in(call, call.context()), address, bytes, name);
  });
}

CUresult CUDAAPI cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return enter("cuKernelGetFunction", kNeedsContext, [&](Call& call) {
    static_cast<void>(kernel_of(call, kernel));
    result(function) = handle_of<CUfunction>(function_in_current(call, kernel).get());
  });
}

CUresult CUDAAPI cuKernelGetAttribute(int* value, CUfunction_attribute which, CUkernel kernel,
                                      CUdevice device) {
  return enter("cuKernelGetAttribute", kPlain, [&](Call& call) {
    result(value) = function_on(call, kernel, device)->attribute(which);
  });
}

CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel,
                                      CUdevice device) {
  return enter("cuKernelSetAttribute", kPlain,
               [&](Call& call) { function_on(call, kernel, device)->set_attribute(which, value); });
}

CUresult CUDAAPI cuKernelGetName(const char** name, CUkernel kernel) {
  return enter("cuKernelGetName", kPlain,
               [&](Call& call) { result(name) = kernel_of(call, kernel)->name.c_str(); });
}

CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                                      std::size_t* bytes) {
  return enter("cuKernelGetParamInfo", kNeedsContext, [&](Call& call) {
    parameter_info(*function_in_current(call, kernel), index, offset, bytes);
  });
}

CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  return enter("cuFuncGetAttribute", kNeedsContext, [&](Call& call) {
    result(value) = function_in_current(call, function)->attribute(which);
  });
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  return enter("cuFuncSetAttribute", kNeedsContext, [&](Call& call) {
    function_in_current(call, function)->set_attribute(which, value);
  });
}

CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return enter("cuFuncSetCacheConfig", kNeedsContext,
               [&](Call& call) { static_cast<void>(function_in_current(call, function)); });
}

CUresult CUDAAPI cuFuncGetName(const char** name, CUfunction function) {
  return enter("cuFuncGetName", kNeedsContext, [&](Call& call) {
    result(name) = function_in_current(call, function)->code.name().c_str();
  });
}

CUresult CUDAAPI cuFuncGetModule(CUmodule* module, CUfunction function) {
  return enter("cuFuncGetModule", kNeedsContext, [&](Call& call) {
    result(module) = handle_of<CUmodule>(function_in_current(call, function)->module.get());
  });
}

CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                    std::size_t* bytes) {
  return enter("cuFuncGetParamInfo", kNeedsContext, [&](Call& call) {
    parameter_info(*function_in_current(call, function), index, offset, bytes);
  });
}

CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return enter("cuFuncIsLoaded", kNeedsContext, [&](Call& call) {
    static_cast<void>(function_in_current(call, function));
    result(state) = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

CUresult CUDAAPI cuFuncLoad(CUfunction function) {
  return enter("cuFuncLoad", kNeedsContext,
               [&](Call& call) { static_cast<void>(function_in_current(call, function)); });
}
