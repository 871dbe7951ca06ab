#include "tools/cuda_double/driver/loaded_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/driver/external_functions.h"
#include "tools/cuda_double/ptx/ptx_error.h"

namespace loci::cuda_double {
namespace {

constexpr int kSharedWithoutAsking = 48 << 10;
constexpr CUresult kUnresolved = CUDA_ERROR_INVALID_PTX;

CUresult code_of(const PtxError& error) {
  const bool of_version = std::strstr(error.what(), "PTX ISA") != nullptr;
  if (error.kind() == PtxError::Kind::kVersion && of_version) {
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  return CUDA_ERROR_INVALID_PTX;
}

std::shared_ptr<const Module> compile(Call& call, const Context& context,
                                      const std::vector<std::string>& texts) {
  const auto capability = static_cast<std::uint32_t>(
      context.device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
      context.device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  Module::Options options;
  options.made_by = call.text();
  options.device = context.device.ordinal();
  options.compute_capability = capability;
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return Module::link(views, call.driver.memory, options);
}

}  // namespace

LoadedFunction::LoadedFunction(std::shared_ptr<LoadedModule> of, const Function& compiled)
    : module(std::move(of)),
      code(compiled),
      max_dynamic_shared(std::max(
          0, kSharedWithoutAsking - static_cast<int>(compiled.attributes().static_shared_bytes))) {}

std::size_t LoadedFunction::shared_bytes(std::size_t dynamic) const {
  return code.attributes().static_shared_bytes + dynamic;
}

int LoadedFunction::attribute(CUfunction_attribute which) const {
  const auto& known = code.attributes();
  const auto& device = module->context.device;
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return known.required_block.has_value() ? 1024 : static_cast<int>(known.max_threads);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(known.static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return static_cast<int>(known.constant_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(known.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return std::max(1, static_cast<int>(known.registers));
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
             device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return max_dynamic_shared;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return carveout_;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return 0;
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such attribute");
  }
}

void LoadedFunction::set_attribute(CUfunction_attribute which, int value) {
  if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    require(value >= -1 && value <= 100, "a carveout is a percentage, or -1");
    carveout_ = value;
    return;
  }
  require(which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "the attribute can not be set");
  const int most =
      module->context.device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  require(
      value >= 0 && shared_bytes(static_cast<std::size_t>(value)) <= static_cast<std::size_t>(most),
      "a block has not that much shared memory");
  max_dynamic_shared = value;
}

LoadedModule::LoadedModule(Context& owner, std::shared_ptr<const Module> compiled, bool library)
    : context(owner), code(std::move(compiled)), of_library(library) {}

std::shared_ptr<LoadedFunction> LoadedModule::function(const std::string& name) {
  auto& known = functions_[name];
  if (known == nullptr) {
    const Function* found = code->function(name);
    if (found == nullptr) {
      functions_.erase(name);
      throw DriverError(CUDA_ERROR_NOT_FOUND, fmt::format("the module has no kernel {}", name));
    }
    known = std::make_shared<LoadedFunction>(
        std::static_pointer_cast<LoadedModule>(shared_from_this()), *found);
    Driver::get().registry.add(known);
  }
  return known;
}

Variable LoadedModule::variable(const std::string& name) const {
  require(code->function(name) == nullptr, "it is a kernel");
  const auto found = code->variable(name);
  if (!found.has_value()) {
    throw DriverError(CUDA_ERROR_NOT_FOUND, fmt::format("the module has no variable {}", name));
  }
  return *found;
}

void LoadedModule::unload() {
  is_unloaded = true;
  auto& registry = Driver::get().registry;
  for (const auto& [name, function] : functions_) registry.remove(function.get());
  functions_.clear();
  registry.remove(this);
}

LoadedModule& Library::module_in(Call& call, Context& context) {
  auto& known = modules[&context];
  if (known == nullptr) {
    CompileLog none(0, nullptr, nullptr);
    known = load_module(call, context, texts, none, true);
  }
  return *known;
}

CompileLog::CompileLog(unsigned count, CUjit_option* options, void** values) {
  for (unsigned i = 0; i < count; ++i) {
    require(static_cast<unsigned>(options[i]) < CU_JIT_NUM_OPTIONS, "there is no such option");
    switch (options[i]) {
      case CU_JIT_ERROR_LOG_BUFFER: errors_ = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_room_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
        error_size_ = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: values[i] = nullptr; break;
      default: break;  // of no consequence to an interpreter
    }
  }
  if (error_size_ != nullptr) *error_size_ = nullptr;
  if (errors_ != nullptr && error_room_ > 0) errors_[0] = '\0';
}

void CompileLog::error(const std::string& text) {
  if (errors_ == nullptr || error_room_ == 0) return;
  const std::size_t length = std::min(text.size(), error_room_ - 1);
  std::memcpy(errors_, text.data(), length);
  errors_[length] = '\0';
  *error_size_ = reinterpret_cast<void*>(length);
}

std::shared_ptr<LoadedModule> load_module(Call& call, Context& context,
                                          const std::vector<std::string>& texts, CompileLog& log,
                                          bool of_library) {
  const auto missing = unresolved_functions(texts);
  if (!missing.empty()) {
    const auto text = fmt::format("nothing defines the function {}", *missing.begin());
    log.error("error: " + text);
    throw DriverError(kUnresolved, text);
  }
  try {
    auto module =
        std::make_shared<LoadedModule>(context, compile(call, context, texts), of_library);
    call.driver.registry.add(module);
    return module;
  } catch (const PtxError& error) {
    log.error(fmt::format("error: ptx input, line {}: {}", error.line(), error.what()));
    throw DriverError(code_of(error), error.what());
  }
}

std::shared_ptr<LoadedFunction> function_of(Call& call, const void* handle, Context& context) {
  const auto object = call.driver.registry.find(handle);
  if (const auto kernel = std::dynamic_pointer_cast<LibraryKernel>(object)) {
    return kernel->library.module_in(call, context).function(kernel->name);
  }
  return call.driver.registry.get<LoadedFunction>(handle);
}

}  // namespace loci::cuda_double
