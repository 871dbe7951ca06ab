// Modules, their functions, and libraries, which are modules for whatever context asks.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/cuda_double/driver/object.h"
#include "tools/cuda_double/ptx/module.h"

namespace loci::cuda_double {

class Call;
class Context;
class Library;
class LoadedModule;

class LoadedFunction : public Object {
 public:
  static constexpr const char* kKind = "function";
  LoadedFunction(std::shared_ptr<LoadedModule> of, const Function& compiled);
  [[nodiscard]] const char* kind() const override { return kKind; }

  [[nodiscard]] int attribute(CUfunction_attribute which) const;
  void set_attribute(CUfunction_attribute which, int value);
  // Static and dynamic.
  [[nodiscard]] std::size_t shared_bytes(std::size_t dynamic) const;

  const std::shared_ptr<LoadedModule> module;  // kept while work or a graph has the function
  const Function& code;
  int max_dynamic_shared = 0;

 private:
  int carveout_ = -1;
};

class LoadedModule : public Object {
 public:
  static constexpr const char* kKind = "module";
  LoadedModule(Context& owner, std::shared_ptr<const Module> compiled, bool library);
  [[nodiscard]] const char* kind() const override { return kKind; }

  // Throws DriverError (not found).
  [[nodiscard]] std::shared_ptr<LoadedFunction> function(const std::string& name);
  [[nodiscard]] Variable variable(const std::string& name) const;
  // Takes the functions' handles away.
  void unload();

  Context& context;
  const std::shared_ptr<const Module> code;
  const bool of_library;
  bool is_unloaded = false;

 private:
  std::map<std::string, std::shared_ptr<LoadedFunction>> functions_;
};

class LibraryKernel : public Object {
 public:
  static constexpr const char* kKind = "kernel";
  LibraryKernel(Library& of, std::string of_name) : library(of), name(std::move(of_name)) {}
  [[nodiscard]] const char* kind() const override { return kKind; }

  Library& library;
  const std::string name;
};

class Library : public Object {
 public:
  static constexpr const char* kKind = "library";
  explicit Library(std::vector<std::string> ptx) : texts(std::move(ptx)) {}
  [[nodiscard]] const char* kind() const override { return kKind; }

  // Loaded into the context by the first call.
  [[nodiscard]] LoadedModule& module_in(Call& call, Context& context);

  const std::vector<std::string> texts;
  std::map<std::string, std::shared_ptr<LibraryKernel>> kernels;
  std::map<Context*, std::shared_ptr<LoadedModule>> modules;
};

// The log that a program wants to have of a compilation.
class CompileLog {
 public:
  // Throws DriverError for an option that there is not.
  CompileLog(unsigned count, CUjit_option* options, void** values);
  void error(const std::string& text);

 private:
  char* errors_ = nullptr;
  std::size_t error_room_ = 0;
  void** error_size_ = nullptr;
};

// Throws DriverError with the code of what is wrong with the texts, which goes to the log too.
[[nodiscard]] std::shared_ptr<LoadedModule> load_module(Call& call, Context& context,
                                                        const std::vector<std::string>& texts,
                                                        CompileLog& log, bool of_library = false);

// A handle of a function, or of a library's kernel, which stands for its function in the context.
[[nodiscard]] std::shared_ptr<LoadedFunction> function_of(Call& call, const void* handle,
                                                          Context& context);

}  // namespace loci::cuda_double
