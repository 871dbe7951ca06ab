#include "tools/conformance/verify/subject.h"

#include <dlfcn.h>
#include <loci/abi/digest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <loci/version.hpp>

namespace loci::verify {
namespace {

// A struct of the plugin in this host's size.
template <class Struct>
Struct adopt(const void* source, const char* name) {
  std::uint32_t size = 0;
  std::memcpy(&size, source, sizeof size);
  if (size < 2 * sizeof size) fail("{} states a struct_size of {} bytes", name, size);
  Struct own{};
  std::memcpy(&own, source, std::min<std::size_t>(size, sizeof own));
  return own;
}

struct Member {
  const char* name;
  bool present;
};

std::string names_of_missing(std::initializer_list<Member> members) {
  std::string names;
  for (const Member& member : members) {
    if (!member.present) names += fmt::format("{}{}", names.empty() ? "" : ", ", member.name);
  }
  return names;
}

void append(std::string* names, const std::string& more) {
  if (!names->empty() && !more.empty()) *names += ", ";
  *names += more;
}

}  // namespace

loci_plugin_query_fn query_function(const std::string& path) {
  note_call("the library's initialisers");
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("the dynamic linker refused it: {}", ::dlerror());
  void* function = ::dlsym(library, LOCI_PLUGIN_QUERY_SYMBOL);
  if (function == nullptr) fail("it does not export " LOCI_PLUGIN_QUERY_SYMBOL);
  return reinterpret_cast<loci_plugin_query_fn>(function);
}

loci_host_info host_info() {
  static const std::string kVersion(version());
  return {.struct_size = sizeof(loci_host_info),
          .abi_minor = LOCI_ABI_MINOR,
          .min_plugin_minor = 0,
          .reserved_zero = 0,
          .digest = to_abi(LOCI_ABI_DIGEST),
          .version = to_abi(kVersion)};
}

const loci_plugin_desc* query(loci_plugin_query_fn function) {
  const loci_host_info info = host_info();
  const loci_plugin_desc* desc =
      call_plugin(LOCI_PLUGIN_QUERY_SYMBOL, [&] { return function(&info); });
  if (desc == nullptr) fail("it says that it cannot work with this Loci");
  return desc;
}

Instance::Instance(const Target& target, std::map<std::string, std::string> options,
                   std::int64_t failing_allocation)
    : host_(target.manifest.id, std::move(options), target.manifest.path),
      desc_(adopt<loci_plugin_desc>(query(query_function(target.manifest.path)),
                                    "loci_plugin_desc")) {
  if (desc_.create == nullptr || desc_.destroy == nullptr || desc_.get_interface == nullptr) {
    fail("loci_plugin_desc lacks create, destroy or get_interface");
  }
  const std::vector<loci_kv> entries = host_.options();
  host_.fail_allocation(failing_allocation);
  call_checked("create", [&] {
    return desc_.create(&host_.api(), entries.data(), entries.size(), &handle_);
  });
  if (handle_ == nullptr) fail("create succeeded without giving an instance");
}

Instance::~Instance() {
  try {
    destroy();
  } catch (const CheckFailed&) {  // told by the checks that call destroy() themselves
  }
}

void Instance::destroy() {
  loci_plugin* handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  call_plugin("destroy", [&] {
    desc_.destroy(handle);
    return 0;
  });
}

const void* Instance::interface(std::string_view name, std::uint32_t max_minor) {
  const void* table = nullptr;
  call_checked("get_interface",
               [&] { return desc_.get_interface(handle_, to_abi(name), max_minor, &table); });
  return table;
}

const loci_device_api& Instance::device_api() {
  if (device_api_ == nullptr) {
    const void* table = interface(LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR);
    if (table == nullptr) skip("it has no " LOCI_DEVICE_INTERFACE);
    auto own =
        std::make_unique<loci_device_api>(adopt<loci_device_api>(table, LOCI_DEVICE_INTERFACE));
    const std::string missing = missing_functions(*own, nullptr);
    if (!missing.empty()) skip("its " LOCI_DEVICE_INTERFACE " lacks {}", missing);
    device_api_ = std::move(own);
  }
  return *device_api_;
}

const loci_kernels_api& Instance::kernels_api() {
  if (kernels_api_ == nullptr) {
    const void* table = interface(LOCI_KERNELS_INTERFACE, LOCI_KERNELS_MINOR);
    if (table == nullptr) skip("it has no " LOCI_KERNELS_INTERFACE);
    auto own =
        std::make_unique<loci_kernels_api>(adopt<loci_kernels_api>(table, LOCI_KERNELS_INTERFACE));
    const std::string missing = missing_functions(*own);
    if (!missing.empty()) skip("its " LOCI_KERNELS_INTERFACE " lacks {}", missing);
    kernels_api_ = std::move(own);
  }
  return *kernels_api_;
}

const loci_profile_source_api& Instance::profile_source_api() {
  if (profile_source_api_ == nullptr) {
    const void* table = interface(LOCI_PROFILE_SOURCE_INTERFACE, LOCI_PROFILE_SOURCE_MINOR);
    if (table == nullptr) skip("it has no " LOCI_PROFILE_SOURCE_INTERFACE);
    auto own = std::make_unique<loci_profile_source_api>(
        adopt<loci_profile_source_api>(table, LOCI_PROFILE_SOURCE_INTERFACE));
    const std::string missing = names_of_missing({{"start", own->start != nullptr},
                                                  {"flush", own->flush != nullptr},
                                                  {"stop", own->stop != nullptr}});
    if (!missing.empty()) fail("its " LOCI_PROFILE_SOURCE_INTERFACE " lacks {}", missing);
    profile_source_api_ = std::move(own);
  }
  return *profile_source_api_;
}

const loci_profile_reporter_api& Instance::reporter_api() {
  if (reporter_api_ == nullptr) {
    const void* table = interface(LOCI_PROFILE_REPORTER_INTERFACE, LOCI_PROFILE_REPORTER_MINOR);
    if (table == nullptr) skip("it has no " LOCI_PROFILE_REPORTER_INTERFACE);
    auto own = std::make_unique<loci_profile_reporter_api>(
        adopt<loci_profile_reporter_api>(table, LOCI_PROFILE_REPORTER_INTERFACE));
    if (own->defs == nullptr) fail("its " LOCI_PROFILE_REPORTER_INTERFACE " lacks defs");
    reporter_api_ = std::move(own);
  }
  return *reporter_api_;
}

const loci_capture_api& Instance::capture_api() {
  if (capture_api_ == nullptr) {
    const void* table = interface(LOCI_CAPTURE_INTERFACE, LOCI_CAPTURE_MINOR);
    if (table == nullptr) skip("it has no " LOCI_CAPTURE_INTERFACE);
    auto own =
        std::make_unique<loci_capture_api>(adopt<loci_capture_api>(table, LOCI_CAPTURE_INTERFACE));
    const std::string missing = missing_functions(*own);
    if (!missing.empty()) skip("its " LOCI_CAPTURE_INTERFACE " lacks {}", missing);
    capture_api_ = std::move(own);
  }
  return *capture_api_;
}

void Instance::require_device(std::uint32_t index) {
  const loci_device_api& api = device_api();
  std::int32_t score = 0;
  loci_str reason{nullptr, 0};
  call_checked("probe", [&] { return api.probe(handle_, &score, &reason); });
  if (score <= 0) skip("this machine has no such device: {}", view(reason));
  const std::uint32_t count = device_count();
  if (index >= count) skip("there is no device {}; there are {}", index, count);
}

std::uint32_t Instance::device_count() {
  std::uint32_t count = 0;
  const loci_device_api& api = device_api();
  call_checked("count", [&] { return api.count(handle_, &count); });
  return count;
}

void expect_nothing_held(Instance& instance, const char* when) {
  const Holdings held = instance.host().holdings();
  if (held.allocations > 0) {
    fail("{} it holds {} allocations of the host table, {} bytes", when, held.allocations,
         held.bytes);
  }
  if (held.errors > 0) {
    fail("{} {} errors are neither returned nor released", when, held.errors);
  }
}

std::string missing_functions(const loci_device_api& api, const loci_device_info* info) {
  std::string names = names_of_missing({{"probe", api.probe != nullptr},
                                        {"count", api.count != nullptr},
                                        {"describe", api.describe != nullptr},
                                        {"open", api.open != nullptr},
                                        {"close", api.close != nullptr}});
  if (info != nullptr && (info->flags & LOCI_DEVICE_HOST_MEMORY) == 0) {
    append(&names, names_of_missing({{"mem_alloc", api.mem_alloc != nullptr},
                                     {"mem_free", api.mem_free != nullptr},
                                     {"copy", api.copy != nullptr}}));
  }
  const bool queued = info != nullptr && (info->flags & LOCI_DEVICE_INLINE) == 0;
  if (queued || api.stream_create != nullptr) {
    append(&names, names_of_missing({{"stream_create", api.stream_create != nullptr},
                                     {"stream_destroy", api.stream_destroy != nullptr},
                                     {"stream_query", api.stream_query != nullptr},
                                     {"stream_synchronize", api.stream_synchronize != nullptr},
                                     {"stream_wait_event", api.stream_wait_event != nullptr},
                                     {"event_create", api.event_create != nullptr},
                                     {"event_destroy", api.event_destroy != nullptr},
                                     {"event_record", api.event_record != nullptr},
                                     {"event_query", api.event_query != nullptr},
                                     {"event_synchronize", api.event_synchronize != nullptr}}));
  }
  return names;
}

std::string missing_functions(const loci_kernels_api& api) {
  return names_of_missing({{"defs", api.defs != nullptr},
                           {"supports", api.supports != nullptr},
                           {"create", api.create != nullptr},
                           {"destroy", api.destroy != nullptr},
                           {"prepare", api.prepare != nullptr},
                           {"destroy_prepared", api.destroy_prepared != nullptr}});
}

std::string missing_functions(const loci_capture_api& api) {
  return names_of_missing({{"open", api.open != nullptr},
                           {"close", api.close != nullptr},
                           {"begin", api.begin != nullptr},
                           {"annotate", api.annotate != nullptr},
                           {"end", api.end != nullptr},
                           {"abort", api.abort != nullptr},
                           {"status", api.status != nullptr},
                           {"stats", api.stats != nullptr},
                           {"dump", api.dump != nullptr},
                           {"destroy_graph", api.destroy_graph != nullptr},
                           {"instantiate", api.instantiate != nullptr},
                           {"launch", api.launch != nullptr},
                           {"patch", api.patch != nullptr},
                           {"update", api.update != nullptr},
                           {"destroy_exec", api.destroy_exec != nullptr}});
}

}  // namespace loci::verify
