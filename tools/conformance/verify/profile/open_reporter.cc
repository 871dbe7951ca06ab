#include "tools/conformance/verify/profile/open_reporter.h"

#include <algorithm>
#include <cstring>

namespace loci::verify {
namespace {

struct Output {
  const loci_host_api& host;
  std::uint64_t failing_write;
  Written* written;
};

loci_error* write(void* context, const void* data, std::uint64_t size) {
  auto& output = *static_cast<Output*>(context);
  if (++output.written->writes == output.failing_write) {
    return output.host.error_make(output.host.host, LOCI_CODE_FAILED,
                                  to_abi("[verify] no space is left"), nullptr);
  }
  output.written->text.append(static_cast<const char*>(data), size);
  return nullptr;
}

}  // namespace

OpenReporter::OpenReporter(Instance& instance, const loci_reporter_def& def, const Options& options)
    : instance_(instance), def_(def) {
  std::vector<loci_kv> entries;
  for (const auto& [key, value] : options) entries.push_back({to_abi(key), to_abi(value)});
  call_checked("create of a reporter", [&] {
    return def_.create(instance_.handle(), entries.data(), entries.size(), &handle_);
  });
  if (handle_ == nullptr) fail("create of {} succeeded without a reporter", view(def_.name));
}

OpenReporter::~OpenReporter() {
  note_call("destroy of a reporter");
  def_.destroy(handle_);
}

Written OpenReporter::report(const loci_profile& profile, std::uint64_t failing_write) {
  Written written;
  Output output{instance_.host().api(), failing_write, &written};
  const loci_report_output abi{sizeof(loci_report_output), 0, &output, write};
  call_checked("report", [&] { return def_.report(handle_, &profile, &abi); });
  return written;
}

void OpenReporter::range_begin(const loci_profile_label& label) {
  call_plugin("range_begin", [&] {
    def_.range_begin(handle_, &label);
    return 0;
  });
}

void OpenReporter::range_end() {
  call_plugin("range_end", [&] {
    def_.range_end(handle_);
    return 0;
  });
}

std::vector<loci_reporter_def> reporters_of(Instance& instance) {
  const loci_profile_reporter_api& api = instance.reporter_api();
  std::uint64_t count = 0;
  const loci_reporter_def* defs =
      call_plugin("defs", [&] { return api.defs(instance.handle(), &count); });
  if (count == 0 || defs == nullptr) fail("defs gave {} reporters at {}", count, fmt::ptr(defs));
  std::vector<loci_reporter_def> own;
  const auto* bytes = reinterpret_cast<const char*>(defs);
  const std::uint32_t stride = defs->struct_size;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto& def = *reinterpret_cast<const loci_reporter_def*>(bytes + i * stride);
    if (def.struct_size != stride || stride < sizeof(std::uint32_t)) {
      fail("reporter {} states a struct_size of {} bytes, the first one of {}", i, def.struct_size,
           stride);
    }
    std::memcpy(&own.emplace_back(), &def, std::min<std::size_t>(stride, sizeof def));
  }
  return own;
}

}  // namespace loci::verify
