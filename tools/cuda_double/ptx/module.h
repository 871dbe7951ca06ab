// PTX that was parsed, checked and decoded, with its variables in device memory.
//
// At load: syntax, names, types, the ISA's version. A form of an instruction that PTX has but this
// interpreter has not is no error at load; it is a KernelFault (kUnsupported) when a thread first
// executes it, so that a module is as usable as its kernels are. unsupported() tells beforehand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/dim3.h"

namespace loci::cuda_double {

struct FunctionCode;
struct ModuleCode;

struct ParameterLayout {
  std::uint32_t offset = 0;  // in the block of parameters that a launch hands over
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

struct FunctionAttributes {
  std::uint32_t registers = 0;  // an estimate: 32-bit registers that are live at once, at most 255
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;      // a thread
  std::uint32_t constant_bytes = 0;   // of the module
  std::uint32_t parameter_bytes = 0;  // up to the last parameter's end
  std::uint32_t max_threads = 1024;   // a block, by .maxntid or .reqntid
  std::optional<Dim3> required_block;
  std::uint32_t min_blocks = 0;  // .minnctapersm
};

// A form that the interpreter has not, as it stands in a function.
struct UnsupportedForm {
  std::string instruction;
  std::uint32_t ptx_line = 0;
};

// A kernel. Lives as long as its module.
class Function {
 public:
  Function(const ModuleCode& module, const FunctionCode& code) : module_(&module), code_(&code) {}

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<ParameterLayout>& parameters() const;
  [[nodiscard]] const FunctionAttributes& attributes() const;
  // In the function and all that it calls.
  [[nodiscard]] std::vector<UnsupportedForm> unsupported() const;
  // Returns true if it may wait for the kernels before it, which may be under way still.
  [[nodiscard]] bool waits_for_grids() const;

  [[nodiscard]] const ModuleCode& module_code() const { return *module_; }
  [[nodiscard]] const FunctionCode& code() const { return *code_; }

 private:
  const ModuleCode* module_;
  const FunctionCode* code_;
};

struct Variable {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool is_constant = false;
};

// Immutable once loaded; any thread may use it. Frees its variables in the end; no launch may be
// under way then, and the memory has to be there still.
class Module {
 public:
  struct Options {
    std::string name = "ptx";  // for messages
    std::string made_by = "module";
    int device = 0;
    std::uint32_t compute_capability = 90;  // a .target above it is refused
  };

  // One text, or several that are linked: what one declares .extern another defines. Throws
  // PtxError, and std::bad_alloc if the variables find no room.
  [[nodiscard]] static std::shared_ptr<const Module> load(std::string_view text,
                                                          DeviceMemory& memory,
                                                          const Options& options);
  [[nodiscard]] static std::shared_ptr<const Module> link(std::span<const std::string_view> texts,
                                                          DeviceMemory& memory,
                                                          const Options& options);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // NULL: there is none of that name.
  [[nodiscard]] const Function* function(std::string_view name) const;
  [[nodiscard]] const std::vector<Function>& functions() const;  // the kernels
  [[nodiscard]] std::optional<Variable> variable(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> variable_names() const;

 private:
  explicit Module(std::unique_ptr<ModuleCode> code);
  std::unique_ptr<ModuleCode> code_;
};

}  // namespace loci::cuda_double
