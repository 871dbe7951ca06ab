#include <dlfcn.h>
#include <loci/abi/digest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <thread>

#include "framework/core/listed.h"
#include "tools/conformance/verify/abi/dynamic_symbols.h"
#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr std::uint32_t kMinAlignment = 64;
// A message names so many stray symbols; a plugin that hides none has hundreds.
constexpr std::size_t kSymbolsNamed = 3;

bool has(const std::vector<std::string>& items, std::string_view item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

bool is_word(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), allowed);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot != std::string_view::npos) text.remove_prefix(dot + 1);
  }
  return parts;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

const loci_plugin_desc& desc_of(const Target& target) {
  return *query(query_function(target.manifest.path));
}

void check_manifest(const Target& target) {
  const plugins::Candidate& manifest = target.manifest;
  if (manifest.failed) fail("{}; {}", manifest.cause, manifest.remedy);
}

void check_symbols(const Target& target) {
  std::vector<std::string> others;
  bool has_query = false;
  for (const std::string& name : read_dynamic_symbols(target.manifest.path).exported) {
    has_query = has_query || name == LOCI_PLUGIN_QUERY_SYMBOL;
    if (name != LOCI_PLUGIN_QUERY_SYMBOL) others.push_back(name);
  }
  if (!has_query) fail("it does not export " LOCI_PLUGIN_QUERY_SYMBOL);
  std::sort(others.begin(), others.end());  // in the file they lie by their hash
  if (!others.empty()) {
    fail("it exports more than " LOCI_PLUGIN_QUERY_SYMBOL
         ": {}; link with a version script, as loci_add_plugin() does",
         core::listed(others, kSymbolsNamed));
  }
}

void check_dependencies(const Target& target) {
  for (const std::string& soname : read_dynamic_symbols(target.manifest.path).needed) {
    if (soname.rfind("libloci.so", 0) == 0) {
      fail("it links {}; a plugin links nothing of the host, which comes through its table",
           soname);
    }
  }
}

// Before anything else of the process maps it.
void check_loading(const Target& target) {
  void* mapped = ::dlopen(target.manifest.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (mapped != nullptr) skip("the library is mapped already");
  const ProcessState before = ProcessState::now();
  static_cast<void>(query_function(target.manifest.path));
  const std::string left = ProcessState::wait_for(before);
  if (left.empty()) return;
  fail(
      "where the library is loaded there is {} more; its static constructors, and those of what it "
      "links, start nothing: threads begin in create or later",
      left);
}

bool says_the_same(const loci_plugin_desc& one, const loci_plugin_desc& two) {
  return one.struct_size == two.struct_size && one.abi_minor == two.abi_minor &&
         one.min_host_minor == two.min_host_minor && view(one.id) == view(two.id) &&
         view(one.version) == view(two.version) && view(one.digest) == view(two.digest) &&
         one.create == two.create && one.destroy == two.destroy &&
         one.get_interface == two.get_interface;
}

void check_query(const Target& target) {
  const loci_plugin_query_fn function = query_function(target.manifest.path);
  const ProcessState before = ProcessState::now();
  const loci_plugin_desc* first = query(function);
  const loci_plugin_desc copy = *first;
  std::vector<std::thread> threads;
  std::vector<const loci_plugin_desc*> others(4);
  for (const loci_plugin_desc*& other : others) {
    threads.emplace_back([&other, function] {
      const loci_host_info info = host_info();
      other = function(&info);
    });
  }
  for (std::thread& thread : threads) thread.join();
  others.push_back(query(function));
  for (const loci_plugin_desc* other : others) {
    if (other == nullptr || !says_the_same(*other, copy)) {
      fail("the descriptor changes from call to call; it is STATIC, the same for every call");
    }
  }
  const std::string left = ProcessState::wait_for(before);
  if (!left.empty()) fail("the query function is pure, and left {}", left);
}

void check_descriptor(const Target& target) {
  const loci_plugin_desc& desc = desc_of(target);
  if (desc.struct_size < sizeof desc) {
    fail("loci_plugin_desc states a struct_size of {} bytes; that of minor {} has {}",
         desc.struct_size, LOCI_ABI_MINOR, sizeof desc);
  }
  if (desc.create == nullptr || desc.destroy == nullptr || desc.get_interface == nullptr) {
    fail("loci_plugin_desc lacks create, destroy or get_interface");
  }
  if (desc.min_host_minor > desc.abi_minor) {
    fail("it was built for minor {} and refuses hosts below {}", desc.abi_minor,
         desc.min_host_minor);
  }
  if (view(desc.digest) != LOCI_ABI_DIGEST) {
    fail("it was built with the ABI headers {}, and this Loci with {}", view(desc.digest),
         LOCI_ABI_DIGEST);
  }
  if (view(desc.id) != target.manifest.id || view(desc.version) != target.manifest.version) {
    fail("its manifest says {} {}, and its code {} {}", target.manifest.id, target.manifest.version,
         view(desc.id), view(desc.version));
  }
}

void check_names(const Target& target) {
  const plugins::Candidate& manifest = target.manifest;
  const auto id = split(manifest.id);
  if (id.size() < 2 || !std::all_of(id.begin(), id.end(), is_word)) {
    fail("the id '{}' is no reverse-DNS name such as org.example.npu", manifest.id);
  }
  const auto version = split(manifest.version);
  if (version.size() != 3 || !std::all_of(version.begin(), version.end(), is_number)) {
    fail("the version '{}' is no major.minor.patch", manifest.version);
  }
  for (const std::string& type : manifest.device_types) {
    if (!is_word(type)) fail("the device type '{}' is no word in lower case", type);
    if (type == "gpu") fail("the device type 'gpu' stands for any accelerator; choose another");
  }
}

void check_interfaces(const Target& target) {
  Instance instance(target);
  for (const char* name : {"", "loci", "loci.devices", "loci.kernels.", "vendor.unknown"}) {
    if (instance.interface(name, 0) != nullptr) {
      fail("get_interface gave a table for the unknown name '{}'; it has to be NULL", name);
    }
  }
  for (const char* name : {LOCI_DEVICE_INTERFACE, LOCI_KERNELS_INTERFACE}) {
    if (instance.interface(name, 0) != instance.interface(name, 0)) {
      fail("get_interface gave two tables for {}; a table is STATIC", name);
    }
  }
  if (!has(target.manifest.kinds, "backend")) return;
  if (instance.interface(LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR) == nullptr &&
      instance.interface(LOCI_KERNELS_INTERFACE, LOCI_KERNELS_MINOR) == nullptr) {
    fail("it calls itself a backend and has neither " LOCI_DEVICE_INTERFACE
         " nor " LOCI_KERNELS_INTERFACE);
  }
}

// Every table begins with these fields, of which struct_size is its own size.
struct Head {
  std::uint32_t struct_size;
  std::uint32_t minor;
};

void check_head(const void* table, const char* name, std::uint64_t size, std::uint32_t max_minor) {
  const auto& head = *static_cast<const Head*>(table);
  if (head.struct_size < size) {
    fail("{} states a struct_size of {} bytes; that of minor {} has {}", name, head.struct_size,
         max_minor, size);
  }
  if (head.minor > max_minor) {
    fail("{} has minor {}, and {} was the newest that was asked for", name, head.minor, max_minor);
  }
}

void check_device_type(loci_str type, const char* name, const Target& target) {
  if (!has(target.manifest.device_types, view(type))) {
    fail("{} is for the device type '{}', which the manifest does not have", name, view(type));
  }
}

void check_device_table(const Target& target) {
  Instance instance(target);
  const void* table = instance.interface(LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR);
  if (table == nullptr) skip("it has no " LOCI_DEVICE_INTERFACE);
  check_head(table, LOCI_DEVICE_INTERFACE, sizeof(loci_device_api), LOCI_DEVICE_MINOR);
  const auto& api = *static_cast<const loci_device_api*>(table);
  check_device_type(api.device_type, LOCI_DEVICE_INTERFACE, target);
  const std::string missing = missing_functions(api, nullptr);
  if (!missing.empty()) fail(LOCI_DEVICE_INTERFACE " lacks {}", missing);
  if ((api.host_register == nullptr) != (api.host_unregister == nullptr)) {
    fail(LOCI_DEVICE_INTERFACE " has one of host_register and host_unregister");
  }
}

// STATIC texts have to be readable and to say something.
void check_info(const loci_device_info& info, std::uint32_t index) {
  constexpr std::uint32_t kKnown = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY |
                                   LOCI_DEVICE_ACCELERATOR | LOCI_DEVICE_ONE_QUEUE;
  if (view(info.name).empty()) fail("device {} has no name", index);
  if ((info.flags & ~kKnown) != 0) fail("device {} has unknown flags {:#x}", index, info.flags);
  if ((info.flags & LOCI_DEVICE_HOST_MEMORY) != 0) return;
  if (info.alignment < kMinAlignment || !std::has_single_bit(info.alignment)) {
    fail("device {} states an alignment of {}; it has to be a power of two, {} or more", index,
         info.alignment, kMinAlignment);
  }
  if (info.greatest_priority > 0 || info.least_priority < 0) {
    fail(
        "device {} states stream priorities from {} (greatest) to {} (least); 0 has to be one of "
        "them, and the greater priority is the lower number",
        index, info.greatest_priority, info.least_priority);
  }
}

void check_describe(const Target& target) {
  Instance instance(target);
  const loci_device_api& api = instance.device_api();
  instance.require_device(0);
  std::uint32_t count = 0;
  call_checked("count", [&] { return api.count(instance.handle(), &count); });
  for (std::uint32_t index = 0; index < count; ++index) {
    loci_device_info info{};
    info.struct_size = sizeof info;
    call_checked("describe", [&] { return api.describe(instance.handle(), index, &info); });
    if (info.struct_size != sizeof info) fail("describe changed the struct_size of the host");
    check_info(info, index);
    const std::string missing = missing_functions(api, &info);
    if (!missing.empty()) {
      fail(LOCI_DEVICE_INTERFACE " lacks {}, which such a device as {} needs", missing, index);
    }
  }
}

void check_kernels_table(const Target& target) {
  Instance instance(target);
  const void* table = instance.interface(LOCI_KERNELS_INTERFACE, LOCI_KERNELS_MINOR);
  if (table == nullptr) skip("it has no " LOCI_KERNELS_INTERFACE);
  // `relayout` comes last and may be absent, but not its place.
  check_head(table, LOCI_KERNELS_INTERFACE, sizeof(loci_kernels_api), LOCI_KERNELS_MINOR);
  const auto& api = *static_cast<const loci_kernels_api*>(table);
  check_device_type(api.device_type, LOCI_KERNELS_INTERFACE, target);
  const std::string missing = missing_functions(api);
  if (!missing.empty()) fail(LOCI_KERNELS_INTERFACE " lacks {}", missing);
}

void check_def(const loci_kernel_def& def, std::uint64_t i) {
  constexpr std::uint64_t kDtypes = (LOCI_DTYPE_BIT(LOCI_DTYPE_COUNT) - 1) & ~std::uint64_t{1};
  if (def.struct_size < sizeof def) {
    fail("kernel {} states a struct_size of {} bytes; loci_kernel_def has {}", i, def.struct_size,
         sizeof def);
  }
  if (view(def.op).empty() || view(def.name).empty()) fail("kernel {} has no op or no name", i);
  if ((def.dtype_mask & kDtypes) == 0 || (def.dtype_mask & ~kDtypes) != 0) {
    fail("kernel {} of {} has the dtype mask {:#x}", view(def.name), view(def.op), def.dtype_mask);
  }
  if (def.alias_count > 0 && def.aliases == nullptr) {
    fail("kernel {} of {} has {} aliases at NULL", view(def.name), view(def.op), def.alias_count);
  }
}

void check_kernel_list(const Target& target) {
  Instance instance(target);
  const loci_kernels_api& api = instance.kernels_api();
  std::uint64_t count = 0;
  const loci_kernel_def* defs =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  if (count > 0 && defs == nullptr) fail("defs gave NULL for {} kernels", count);
  const auto* bytes = reinterpret_cast<const char*>(defs);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto* def = reinterpret_cast<const loci_kernel_def*>(bytes + i * defs->struct_size);
    check_def(*def, i);
    if (def->struct_size != defs->struct_size) {
      fail("kernel {} has another struct_size than the first: {} and {}", i, def->struct_size,
           defs->struct_size);
    }
  }
  std::uint64_t again = 0;
  if (api.defs(instance.handle(), &again) != defs || again != count) {
    fail("defs gave another list at the second call; it is STATIC");
  }
}

// Entries that a capturer may lack.
void check_control_entries(const loci_capture_api& api) {
  const bool has_loops = api.loop_begin != nullptr;
  if (has_loops != (api.loop_end != nullptr)) {
    fail(LOCI_CAPTURE_INTERFACE " has one of loop_begin and loop_end");
  }
  const bool has_branches = api.branch_begin != nullptr;
  if (has_branches != (api.branch_else != nullptr) || has_branches != (api.branch_end != nullptr)) {
    fail(LOCI_CAPTURE_INTERFACE " has some of branch_begin, branch_else and branch_end");
  }
  if (has_branches && !has_loops) {
    fail(LOCI_CAPTURE_INTERFACE " has branches and no loops; who has those has these");
  }
}

void check_capture_table(const Target& target) {
  Instance instance(target);
  const void* table = instance.interface(LOCI_CAPTURE_INTERFACE, LOCI_CAPTURE_MINOR);
  const bool calls_itself_capturer = has(target.manifest.kinds, "capture");
  if (table == nullptr && calls_itself_capturer) {
    fail("it calls itself a capturer and has no " LOCI_CAPTURE_INTERFACE);
  }
  if (table == nullptr) skip("it has no " LOCI_CAPTURE_INTERFACE);
  if (!calls_itself_capturer) {
    fail("it has " LOCI_CAPTURE_INTERFACE ", and its manifest has no kind 'capture'");
  }
  check_head(table, LOCI_CAPTURE_INTERFACE, sizeof(loci_capture_api), LOCI_CAPTURE_MINOR);
  const auto& api = *static_cast<const loci_capture_api*>(table);
  check_device_type(api.device_type, LOCI_CAPTURE_INTERFACE, target);
  const std::string missing = missing_functions(api);
  if (!missing.empty()) fail(LOCI_CAPTURE_INTERFACE " lacks {}", missing);
  check_control_entries(api);
}

}  // namespace

std::vector<Check> abi_level(const Target& target) {
  return {
      on_target("abi/manifest", target, check_manifest),
      on_target("abi/exported_symbols", target, check_symbols),
      on_target("abi/dependencies", target, check_dependencies),
      on_target("abi/loading", target, check_loading),
      on_target("abi/query_is_pure", target, check_query),
      on_target("abi/descriptor", target, check_descriptor),
      on_target("abi/names", target, check_names),
      on_target("abi/interfaces", target, check_interfaces),
      on_target("abi/device_table", target, check_device_table),
      on_target("abi/device_description", target, check_describe),
      on_target("abi/kernels_table", target, check_kernels_table),
      on_target("abi/kernel_list", target, check_kernel_list),
      on_target("abi/capture_table", target, check_capture_table),
  };
}

}  // namespace loci::verify
