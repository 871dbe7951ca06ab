#include "tools/loci/plugin_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/loci/failure.h"

namespace loci::runner {
namespace {

// In what follows @name@ stands for the plugin's name and @Name@ for its C++ form.
constexpr const char* kBuild = R"(# A plugin for Loci, built outside of its tree:
#   cmake -S . -B build -DCMAKE_PREFIX_PATH=<install prefix of Loci> && cmake --build build
#   loci plugins doctor --plugin-path build/lib/loci/plugins
cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES C CXX)

find_package(loci REQUIRED)

loci_add_plugin(NAME @name@ MANIFEST manifest.json SOURCES plugin.cc kernels.cc)
target_compile_features(loci_plugin_@name@ PRIVATE cxx_std_17)
)";

constexpr const char* kManifest = R"({
  "id": "org.example.@name@",
  "version": "0.1.0",
  "kinds": ["backend"],
  "device_types": ["@name@"],
  "description": "What the @name@ backend is for",
  "license": "its license"
}
)";

constexpr const char* kPlugin =
    R"(// What the plugin brings: one device, and the kernels of kernels.cc.
#include <loci/plugin/device.hpp>
#include <loci/plugin/plugin.hpp>

#include "kernels.h"

namespace @name@ {

class @Name@Plugin;

// Inline: a launch returns when the work is done. It works in host memory, which Loci allocates.
// loci/plugin/device.hpp says which functions other kinds of devices need.
class @Name@Device {
 public:
  // A score above 0 if this machine has such a device, else 0 and the reason.
  static loci::sdk::Probe probe(@Name@Plugin&) { return {1}; }
  static std::uint32_t count(@Name@Plugin&) { return 1; }
  static void describe(@Name@Plugin&, std::uint32_t, loci_device_info& info) {
    info.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
    info.name = loci::sdk::to_abi("@name@");
    info.alignment = 64;
    info.min_chunk = 64;
  }
  @Name@Device(@Name@Plugin&, const loci::sdk::Host&, std::uint32_t) {}
};

class @Name@Plugin {
 public:
  static constexpr std::string_view kId = "org.example.@name@";
  static constexpr std::string_view kVersion = "0.1.0";
  static constexpr std::string_view kDeviceType = "@name@";

  @Name@Plugin(const loci::sdk::Host&, const loci::sdk::Options&) : kernels_(make_kernels()) {}

  const void* interface(std::string_view name) {
    if (name == LOCI_DEVICE_INTERFACE) {
      return loci::sdk::device_table<@Name@Plugin, @Name@Device>();
    }
    if (name == LOCI_KERNELS_INTERFACE) return loci::sdk::kernels_table<@Name@Plugin>();
    return nullptr;
  }
  [[nodiscard]] const loci::sdk::KernelList& kernels() const { return kernels_; }

 private:
  loci::sdk::KernelList kernels_;
};

}  // namespace @name@

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<@name@::@Name@Plugin>(host);
}
)";

constexpr const char* kKernelsHeader = R"(// The kernels of the @name@ device.
#pragma once

#include <loci/plugin/kernel.hpp>

namespace @name@ {

loci::sdk::KernelList make_kernels();

}  // namespace @name@
)";

constexpr const char* kKernels = R"(#include "kernels.h"

namespace @name@ {
namespace {

// Prepared: immutable, launched from any thread.
struct Relu {
  void launch(const loci::sdk::Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
  }
  std::int64_t count;
};

void prepare_relu(loci::sdk::Prepare& prepare) {
  prepare.emplace<Relu>(prepare.op().output(0).numel());
}

}  // namespace

loci::sdk::KernelList make_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  return loci::sdk::KernelList({
      // Operator, name of the kernel, dtypes, how it is made, when it refuses, and which outputs
      // may lie in place of which inputs.
      {"relu", "@name@", kFloat32, loci::sdk::make_kernel<prepare_relu>, nullptr, {{0, 0}}},
  });
}

}  // namespace @name@
)";

bool is_word(const std::string& name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), by);
    at += by.size();
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> plugin_template(const std::string& name,
                                                   const std::string& kind) {
  if (!is_word(name)) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[plugins new] '{}' is no name for a plugin; take lower-case letters "
                              "and digits, such as 'npu2'",
                              name));
  }
  if (kind != "backend") {
    throw Failure(ExitCode::kUsage, fmt::format("[--kind] '{}' is not one of backend", kind));
  }
  std::string class_name = name;
  class_name.front() = static_cast<char>(class_name.front() - 'a' + 'A');
  std::map<std::string, std::string> files{{"CMakeLists.txt", kBuild},
                                           {"manifest.json", kManifest},
                                           {"plugin.cc", kPlugin},
                                           {"kernels.h", kKernelsHeader},
                                           {"kernels.cc", kKernels}};
  for (auto& [file, text] : files) {
    text = replaced(replaced(text, "@name@", name), "@Name@", class_name);
  }
  return files;
}

}  // namespace loci::runner
