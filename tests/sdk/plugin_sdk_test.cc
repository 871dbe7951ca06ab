// The author SDK: a plugin of a few lines, driven through the C tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/plugin/device.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin.hpp>

#include "tests/support/kernel_driver.h"

namespace loci::testing {
namespace {

using sdk::KernelDef;
using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;
using ::testing::HasSubstr;

struct Doubled {
  void launch(const Launch& launch) const {
    if (launch.input<float>(0)[0] < 0) throw sdk::Error(LOCI_CODE_FAILED, "[double] negative");
    auto* state = launch.state<std::int64_t>();
    ++*state;
    for (std::int64_t i = 0; i < count; ++i) {
      launch.output<float>(0)[i] =
          launch.input<float>(0)[i] * factor + static_cast<float>(*state - 1);
    }
  }
  std::int64_t count;
  float factor;
};

class DoubleKernel final : public sdk::Kernel {
 public:
  explicit DoubleKernel(const OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("factor"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.set_state(sizeof(std::int64_t));
    prepare.emplace<Doubled>(prepare.op().output(0).numel(), factor_);
  }

 private:
  float factor_;
};

std::string supports_small(const OpDesc& op) {
  return op.input(0).numel() > 4 ? "[double] more than 4 elements" : "";
}

void prepare_nothing(Prepare&) {}
[[noreturn]] void prepare_failing(Prepare&) { throw 7; }

class TinyDevice;

class TinyPlugin {
 public:
  static constexpr std::string_view kId = "org.example.tiny";
  static constexpr std::string_view kVersion = "1.2.3";
  static constexpr std::string_view kDeviceType = "tiny";

  TinyPlugin(const sdk::Host&, const sdk::Options& options)
      : kernels_({{.op = "double",
                   .name = "plain",
                   .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
                   .create = sdk::make_kernel<DoubleKernel>,
                   .supports = supports_small,
                   .aliases = {{0, 0}}},
                  {.op = "nothing",
                   .name = "plain",
                   .dtypes = sdk::kAllBits,
                   .create = sdk::make_kernel<prepare_nothing>},
                  {.op = "failing",
                   .name = "plain",
                   .dtypes = sdk::kAllBits,
                   .create = sdk::make_kernel<prepare_failing>}}) {
    if (options.count("fail") != 0) throw std::bad_alloc();
  }
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }
  const void* interface(std::string_view name);

 private:
  sdk::KernelList kernels_;
};

// A queued device whose work is done at once.
class TinyDevice {
 public:
  struct Event;
  struct Stream {
    Stream(TinyDevice& owner, std::int32_t given) : device(&owner), priority(given) {}
    static bool query() { return true; }
    void synchronize() const { ++device->synchronized; }
    void wait(Event& event) const { device->waited_for = event.recorded; }
    static void launch_host(loci_host_fn function, void* context, std::uint64_t correlation) {
      if (correlation == 0) throw sdk::Error(LOCI_CODE_FAILED, "without a correlation");
      function(context);
    }
    TinyDevice* device;
    std::int32_t priority;
  };
  struct Event {
    explicit Event(TinyDevice&) {}
    void record(Stream*) { ++recorded; }
    [[nodiscard]] bool query() const { return recorded > 0; }
    static void synchronize() { throw sdk::Error(LOCI_CODE_UNAVAILABLE, "no such event"); }
    [[nodiscard]] std::uint64_t ns_until(const Event& end) const {
      return static_cast<std::uint64_t>(end.recorded - recorded);
    }
    int recorded = 0;
  };

  TinyDevice(TinyPlugin&, const sdk::Host& host, std::uint32_t) : host_(&host) {}
  static sdk::Probe probe(TinyPlugin&) { return {0, "only a test"}; }
  static std::uint32_t count(TinyPlugin&) { return 2; }
  static void describe(TinyPlugin&, std::uint32_t, loci_device_info& info) {
    info.compute_units = 3;
  }

  void* mem_alloc(std::uint32_t, std::uint64_t bytes, Stream*) { return host_->allocate(bytes); }
  void mem_free(std::uint32_t, void* pointer, Stream*) { host_->free(pointer); }
  static void mem_info(std::uint64_t& free_bytes, std::uint64_t& total) { free_bytes = total = 5; }
  static bool copy(const loci_copy& copy, Stream*) {
    std::memcpy(copy.target, copy.source, copy.row_bytes);
    return true;
  }
  static void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t, Stream*,
                   std::uint64_t) {
    std::memset(target, *static_cast<const unsigned char*>(pattern), bytes);
  }
  static void check_async() { throw sdk::Error(LOCI_CODE_FAILED, "launch 5 failed"); }

  int synchronized = 0;
  int waited_for = 0;

 private:
  const sdk::Host* host_;
};

const void* TinyPlugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<TinyPlugin, TinyDevice>();
  if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<TinyPlugin>();
  return nullptr;
}

const loci_plugin_desc* query(const loci_host_info* host) {
  return sdk::describe_plugin<TinyPlugin>(host);
}

Call doubled(std::vector<double> x) {
  const auto count = static_cast<std::int64_t>(x.size());
  return {"double",
          {value_of(LOCI_DTYPE_F32, {count}, x)},
          {{LOCI_DTYPE_F32, {count}}},
          {{"factor", 2.0}}};
}

template <class Body>
void expect_error(loci_code code, const char* message, const Body& body) {
  try {
    body();
    ADD_FAILURE() << "no error";
  } catch (const PluginError& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(PluginSdk, DescriptorSaysWhatThePluginSays) {
  const loci_plugin_desc* desc = query(nullptr);
  EXPECT_EQ(sdk::to_view(desc->id), "org.example.tiny");
  EXPECT_EQ(sdk::to_view(desc->version), "1.2.3");
  EXPECT_EQ(desc->struct_size, sizeof *desc);
  EXPECT_EQ(desc, query(nullptr));
}

TEST(PluginSdk, KernelsRunAndKeepState) {
  DrivenPlugin plugin(query);
  EXPECT_EQ(to_doubles(plugin.run(doubled({1, 2, 3}))[0]), (std::vector<double>{2, 4, 6}));
  Call twice = doubled({1, 2, 3});
  twice.launches = 2;
  EXPECT_EQ(to_doubles(plugin.run(twice)[0]), (std::vector<double>{3, 5, 7}));
}

TEST(PluginSdk, RefusalKeepsItsReason) {
  DrivenPlugin plugin(query);
  EXPECT_EQ(plugin.refusal(doubled({1, 2}), "plain"), "");
  EXPECT_EQ(plugin.refusal(doubled({1, 2, 3, 4, 5}), "plain"), "[double] more than 4 elements");
}

TEST(PluginSdk, ExceptionsBecomeErrors) {
  DrivenPlugin plugin(query);
  expect_error(LOCI_CODE_FAILED, "[double] negative", [&] { plugin.run(doubled({-1})); });
  expect_error(LOCI_CODE_INTERNAL, "no std::exception", [&] {
    plugin.run({"failing", {}, {{LOCI_DTYPE_F32, {}}}});
  });
  expect_error(LOCI_CODE_INTERNAL, "prepared nothing", [&] {
    plugin.run({"nothing", {}, {{LOCI_DTYPE_F32, {}}}});
  });
  expect_error(LOCI_CODE_OUT_OF_MEMORY, "", [] {
    const DrivenPlugin failing(query, {{"fail", "1"}});
  });
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

TEST(PluginSdk, AnEmptyTensorHasNoElementsHoweverHugeItsOtherExtents) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const std::int64_t dims[] = {kHuge, kHuge, 0};
  EXPECT_EQ(sdk::numel_of({dims, 3}), 0);
  EXPECT_EQ(sdk::numel_of({dims, 1}), kHuge);
  EXPECT_EQ(sdk::numel_of({dims, 0}), 1);
}

TEST(PluginSdk, MissingOrMistypedAttributesAreNamed) {
  DrivenPlugin plugin(query);
  Call call = doubled({1});
  call.attributes = {{"factor", std::int64_t{2}}};
  expect_error(LOCI_CODE_INTERNAL, "'factor' is of another kind", [&] { plugin.run(call); });
  call.attributes = {};
  expect_error(LOCI_CODE_INTERNAL, "[double] the attribute 'factor' is not there",
               [&] { plugin.run(call); });
}

TEST(PluginSdk, UnknownInterfaceIsNull) {
  const TestHost host;
  loci_plugin* plugin = nullptr;
  host.check(query(nullptr)->create(&host.api(), nullptr, 0, &plugin));
  const void* table = plugin;
  host.check(query(nullptr)->get_interface(plugin, sdk::to_abi("loci.nothing"), 0, &table));
  EXPECT_EQ(table, nullptr);
  query(nullptr)->destroy(plugin);
}

// A device of the plugin, closed at the end.
class PluginSdkDevice : public ::testing::Test {
 protected:
  void SetUp() override { plugin_.host().check(api().open(plugin_.plugin(), 1, &device_)); }
  void TearDown() override { api().close(device_); }
  [[nodiscard]] const loci_device_api& api() const { return plugin_.devices(); }
  void check(loci_error* error) { plugin_.host().check(error); }

  DrivenPlugin plugin_{query};
  loci_device* device_ = nullptr;
};

TEST_F(PluginSdkDevice, DiscoveryReachesTheClass) {
  std::int32_t score = 1;
  loci_str reason{};
  check(api().probe(plugin_.plugin(), &score, &reason));
  EXPECT_EQ(score, 0);
  EXPECT_EQ(sdk::to_view(reason), "only a test");
  loci_device_info info{};
  check(api().describe(plugin_.plugin(), 0, &info));
  EXPECT_EQ(info.compute_units, 3U);
}

TEST_F(PluginSdkDevice, OnlyMembersThatTheClassHasAreThere) {
  EXPECT_EQ(api().host_register, nullptr);
  EXPECT_EQ(api().native_handle, nullptr);
  EXPECT_EQ(api().synchronize, nullptr);
  EXPECT_NE(api().copy, nullptr);
}

TEST_F(PluginSdkDevice, MemoryAndCopies) {
  void* memory = nullptr;
  check(api().mem_alloc(device_, LOCI_MEMORY_DEVICE, 4, nullptr, &memory));
  const unsigned char pattern = 9;
  check(api().fill(device_, memory, 4, &pattern, 1, nullptr, 0));
  std::array<unsigned char, 4> bytes{};
  loci_copy copy{};
  copy.source = memory;
  copy.target = bytes.data();
  copy.row_bytes = 4;
  std::uint32_t blocked = 0;
  check(api().copy(device_, &copy, nullptr, &blocked));
  EXPECT_EQ(blocked, 1U);
  EXPECT_EQ(bytes[3], 9);
  check(api().mem_free(device_, LOCI_MEMORY_DEVICE, memory, nullptr));
}

TEST_F(PluginSdkDevice, StreamsEventsAndErrors) {
  loci_stream* stream = nullptr;
  loci_event* event = nullptr;
  check(api().stream_create(device_, 0, &stream));
  check(api().event_create(device_, LOCI_EVENT_TIMED, &event));
  std::uint32_t done = 1;
  check(api().event_query(event, &done));
  EXPECT_EQ(done, 0U);
  check(api().event_record(event, stream));
  check(api().event_query(event, &done));
  EXPECT_EQ(done, 1U);
  check(api().stream_wait_event(stream, event));
  check(api().stream_synchronize(stream));
  expect_error(LOCI_CODE_UNAVAILABLE, "no such event",
               [&] { check(api().event_synchronize(event)); });
  expect_error(LOCI_CODE_FAILED, "launch 5", [&] {
    std::uint64_t correlation = 7;
    loci_error* error = api().take_async_error(device_, &correlation);
    EXPECT_EQ(correlation, 0U) << "it does not tell";
    check(error);
  });
  api().event_destroy(event);
  api().stream_destroy(stream);
}

TEST_F(PluginSdkDevice, StreamsHavePrioritiesAndRunFunctions) {
  loci_stream* stream = nullptr;
  check(api().stream_create(device_, -4, &stream));
  EXPECT_EQ(sdk::stream_of<TinyDevice>(stream)->priority, -4);
  int calls = 0;
  const loci_host_fn count = [](void* context) { ++*static_cast<int*>(context); };
  check(api().launch_host(stream, count, &calls, 1));
  EXPECT_EQ(calls, 1);
  expect_error(LOCI_CODE_FAILED, "without a correlation",
               [&] { check(api().launch_host(stream, count, &calls, 0)); });
  api().stream_destroy(stream);
}

TEST_F(PluginSdkDevice, HandlesLeadToTheObjectsOfKernels) {
  loci_stream* stream = nullptr;
  check(api().stream_create(device_, 0, &stream));
  TinyDevice& device = sdk::device_of<TinyDevice>(device_);
  EXPECT_EQ(sdk::stream_of<TinyDevice>(stream)->device, &device);
  EXPECT_EQ(sdk::stream_of<TinyDevice>(nullptr), nullptr);
  check(api().stream_synchronize(stream));
  EXPECT_EQ(device.synchronized, 1);
  api().stream_destroy(stream);
}

TEST(PluginSdkHost, ParallelForCoversTheRangeOnce) {
  const TestHost test_host;
  const sdk::Host host(test_host.api());
  std::vector<int> hits(1000);
  host.parallel_for(0, 1000, 100, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(hits, std::vector<int>(1000, 1));
  std::atomic<std::uint32_t> workers{0};
  host.parallel_for(0, 1000, 1, [&](std::int64_t, std::int64_t, std::uint32_t worker) {
    workers |= 1U << worker;
  });
  EXPECT_EQ(workers, 7U);
}

TEST(PluginSdkHost, ParallelForThrowsWhatItsBodyThrows) {
  const TestHost test_host;
  const sdk::Host host(test_host.api());
  EXPECT_THROW(host.parallel_for(0, 1000, 1,
                                 [](std::int64_t begin, std::int64_t) {
                                   if (begin > 0) throw sdk::Error(LOCI_CODE_FAILED, "here");
                                 }),
               sdk::Error);
}

TEST(PluginSdkHost, ReadsTheConfiguration) {
  const TestHost test_host(std::map<std::string, std::string>{{"threads", "4"}});
  const sdk::Host host(test_host.api());
  EXPECT_EQ(host.config("threads"), "4");
  EXPECT_EQ(host.config("nothing"), "");
}

TEST(DTypeVisit, ReachesTheElementType) {
  const auto size = [](auto tag) { return sizeof(typename decltype(tag)::type); };
  EXPECT_EQ(sdk::visit_floats(LOCI_DTYPE_F16, size), 2U);
  EXPECT_EQ(sdk::visit_all(LOCI_DTYPE_BOOL, size), 1U);
  EXPECT_EQ(sdk::visit_numbers(LOCI_DTYPE_U64, size), 8U);
  EXPECT_EQ(sdk::visit_indices(LOCI_DTYPE_I32, size), 4U);
  EXPECT_THROW(sdk::visit_floats(LOCI_DTYPE_I32, size), sdk::Error);
  EXPECT_THROW(sdk::visit_all(LOCI_DTYPE_NONE, size), sdk::Error);
}

TEST(DTypeVisit, HalvesRoundADoubleOnce) {
  EXPECT_EQ(static_cast<float>(sdk::f16(1 + 0x1p-11 + 0x1p-40)), 1 + 0x1p-10F);
  EXPECT_EQ(static_cast<float>(sdk::f16(1 + 0x1p-11)), 1.0F);
  EXPECT_EQ(static_cast<float>(sdk::bf16(-(1 + 0x1p-8 + 0x1p-40))), -(1 + 0x1p-7F));
  EXPECT_EQ(static_cast<float>(sdk::f16(1e300)), INFINITY);
  EXPECT_TRUE(std::isnan(static_cast<float>(sdk::bf16(static_cast<double>(NAN)))));
}

}  // namespace
}  // namespace loci::testing
