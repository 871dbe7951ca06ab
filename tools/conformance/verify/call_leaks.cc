#include "tools/conformance/verify/call_leaks.h"

#include <deque>
#include <functional>
#include <optional>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/plain_kernel.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kCallBytes = 4096;
// More than the pieces of one size that the allocator keeps for a thread.
constexpr int kCallsAtATime = 16;

void do_nothing(void*) {}

// Calls of one kind, again and again. What they leave fails the check.
class Repeated {
 public:
  explicit Repeated(Instance& instance) : instance_(instance) {}

  void operator()(const char* kind, const std::function<void()>& call,
                  const std::function<void()>& settle) {
    const auto work = [&] {
      for (int i = 0; i < kCallsAtATime; ++i) call();
      settle();
    };
    try {
      work();
    } catch (const CheckSkipped&) {  // it has no such call
      return;
    } catch (const PluginError& error) {
      if (error.code() == LOCI_CODE_UNSUPPORTED) return;
      throw;
    }
    ++kinds_;
    const Holdings before = instance_.host().holdings();
    const std::size_t bytes = heap_growth(work, kCallsAtATime);
    const Holdings after = instance_.host().holdings();
    if (after.allocations >= before.allocations + kCallsAtATime) {
      fail("each {} leaves an allocation of the host table behind: {} of them", kind,
           after.allocations - before.allocations);
    }
    if (after.errors > before.errors) {
      fail("{} errors of {} are neither returned nor released", after.errors - before.errors, kind);
    }
    if (bytes > 0) {
      fail("each {} leaves memory of the C heap behind: {} bytes in {} calls", kind, bytes,
           kHeapRounds * kCallsAtATime);
    }
  }
  void expect_some() const {
    if (kinds_ == 0) skip("it has no such calls");
  }

 private:
  Instance& instance_;
  int kinds_ = 0;
};

// A device with what its calls are about.
class Calls {
 public:
  Calls(Instance& instance, std::uint32_t index)
      : instance_(instance), device_(instance, index), repeat_(instance) {
    device_.require_memory();
    stream_.emplace(device_);
    source_.emplace(device_, kCallBytes);
    target_.emplace(device_, kCallBytes);
    device_.put(source_->at(), bytes_, stream_->get());
  }

  void repeat_all() {
    repeat_questions();
    repeat_memory();
    repeat_copies();
    if (device_.has_streams()) repeat_streams();
    repeat_launches();
    repeat_.expect_some();
  }

 private:
  void repeat(const char* kind, const std::function<void()>& call) {
    repeat_(kind, call, [this] { device_.wait(stream_->get()); });
  }
  [[nodiscard]] const loci_device_api& api() const { return device_.api(); }

  void repeat_questions() {
    std::int32_t score = 0;
    loci_str reason{};
    repeat("probe", [&] {
      call_checked("probe", [&] { return api().probe(instance_.handle(), &score, &reason); });
    });
    repeat("count", [&] { static_cast<void>(instance_.device_count()); });
    repeat("describe", [&] {
      loci_device_info info{};
      info.struct_size = sizeof info;
      call_checked("describe", [&] { return api().describe(instance_.handle(), 0, &info); });
    });
    repeat("get_interface", [&] {
      static_cast<void>(instance_.interface(LOCI_DEVICE_INTERFACE, LOCI_DEVICE_MINOR));
      static_cast<void>(instance_.interface("vendor.unknown", 0));
    });
    repeat("native_handle", [&] {
      if (api().native_handle == nullptr) skip("it gives none");
      void* handle = nullptr;
      call_checked("native_handle", [&] {
        return api().native_handle(device_.handle(), stream_->get(), to_abi("vendor.unknown"),
                                   &handle);
      });
    });
    repeat("take_async_error", [&] { device_.check_async(); });
  }

  void repeat_memory() {
    loci_stream* stream = stream_->get();
    repeat("mem_alloc and mem_free", [&] { device_.free(device_.allocate(kCallBytes)); });
    repeat("mem_alloc and mem_free in a stream", [&] {
      device_.free(device_.allocate(kCallBytes, stream), stream);
      device_.wait(stream);  // the device may have few allocations at a time
    });
    repeat("mem_alloc and mem_free of pinned memory",
           [&] { const Memory pinned(device_, kCallBytes, LOCI_MEMORY_PINNED); });
    repeat("mem_info", [&] { static_cast<void>(device_.free_memory()); });
    repeat("host_register and host_unregister", [&] {
      if (api().host_register == nullptr) skip("it pins no memory of the host");
      call_checked("host_register", [&] {
        return api().host_register(device_.handle(), bytes_.data(), bytes_.size());
      });
      call_checked("host_unregister",
                   [&] { return api().host_unregister(device_.handle(), bytes_.data()); });
    });
  }

  void repeat_copies() {
    loci_stream* stream = stream_->get();
    repeat("copy to the device",
           [&] { device_.write(target_->at(), bytes_.data(), kCallBytes, stream); });
    repeat("copy to the host",
           [&] { device_.read(bytes_.data(), source_->at(), kCallBytes, stream); });
    repeat("copy on the device",
           [&] { device_.move(target_->at(), source_->at(), kCallBytes, stream); });
    repeat("copy of rows", [&] {
      loci_copy rows{};
      rows.struct_size = sizeof rows;
      rows.source_end = rows.target_end = LOCI_END_DEVICE;
      rows.source = source_->at();
      rows.target = target_->at();
      rows.row_bytes = 16;
      rows.rows = 8;
      rows.source_pitch = rows.target_pitch = 32;
      device_.copy(rows, stream);
    });
    repeat("fill", [&] { device_.fill(target_->at(), kCallBytes, 1, 8, stream); });
    repeat("synchronize", [&] {
      if (api().synchronize == nullptr) skip("it has none");
      call_checked("synchronize", [&] { return api().synchronize(device_.handle()); });
    });
  }

  void repeat_streams() {
    repeat("stream_create and stream_destroy", [&] { const Stream stream(device_); });
    repeat("stream_query", [&] { static_cast<void>(device_.is_done(stream_->get())); });
    repeat("event_create and event_destroy", [&] { const Event event(device_, LOCI_EVENT_TIMED); });
    Event start(device_, LOCI_EVENT_TIMED);
    Event end(device_, LOCI_EVENT_TIMED);
    repeat("event_record", [&] { start.record(*stream_); });
    repeat("event_query", [&] { static_cast<void>(start.is_done()); });
    repeat("event_synchronize", [&] { start.synchronize(); });
    repeat("stream_wait_event", [&] { stream_->wait(start.get()); });
    end.record(*stream_);
    end.synchronize();
    repeat("event_elapsed_ns", [&] {
      if (api().event_elapsed_ns == nullptr) skip("it measures no time");
      std::uint64_t ns = 0;
      call_checked("event_elapsed_ns",
                   [&] { return api().event_elapsed_ns(start.get(), end.get(), &ns); });
    });
    repeat("launch_host", [&] {
      if (api().launch_host == nullptr) skip("it runs no functions of the host");
      call_checked("launch_host",
                   [&] { return api().launch_host(stream_->get(), do_nothing, nullptr, 0); });
    });
  }

  void repeat_launches() {
    std::optional<PlainKernel> kernel;
    repeat("launch", [&] {
      if (!kernel) kernel.emplace(instance_, device_, *stream_);
      kernel->launch(0);
    });
  }

  Instance& instance_;
  OpenDevice device_;
  Repeated repeat_;
  Bytes bytes_ = pattern_bytes(kCallBytes, 1);
  std::optional<Stream> stream_;
  std::optional<Memory> source_;
  std::optional<Memory> target_;
};

// A driver that is emulated keeps memory of its own in this process for what it was given.
void require_driver_elsewhere(Instance& instance, std::uint32_t index) {
  const OpenDevice device(instance, index);
  if (view(device.info().name).find("(emulated)") != std::string_view::npos) {
    skip("the device is emulated in this process, whose heap it shares");
  }
}

void check_calls(const Target& target) {
  if (heap_bytes() == 0) skip("this process's allocator does not count");
  Instance instance(target);
  require_driver_elsewhere(instance, target.index);
  Calls(instance, target.index).repeat_all();
}

// Calls it; a kind that is not refused is no matter of these checks.
template <class Call>
void refused(const Call& call) {
  try {
    call();
  } catch (const PluginError&) {
    return;
  }
  skip("it is not refused");
}

void refuse_copy_of_peer(OpenDevice& one, OpenDevice& two, const Stream& stream, const Memory& here,
                         const Memory& there) {
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = LOCI_END_PEER;
  copy.target_end = LOCI_END_DEVICE;
  copy.source = there.at();
  copy.target = here.at();
  copy.row_bytes = kCallBytes;
  copy.rows = 1;
  copy.peer = two.handle();
  one.copy(copy, stream.get());
  one.wait(stream.get());  // it is not refused, and uses memory that its caller frees
}

// Each may be refused by itself, without a setting.
void check_refused_calls(const Target& target) {
  if (heap_bytes() == 0) skip("this process's allocator does not count");
  Instance instance(target);
  OpenDevice device(instance, target.index);
  const loci_device_api& api = device.api();
  Repeated repeat(instance);
  const auto refuse = [&](const char* kind, const std::function<void()>& call) {
    repeat(
        kind, [&] { refused(call); }, [] {});
  };
  refuse("open of a device that is not there", [&] {
    loci_device* none = nullptr;
    call_checked("open", [&] { return api.open(instance.handle(), UINT32_MAX, &none); });
  });
  refuse("describe of a device that is not there", [&] {
    loci_device_info info{};
    info.struct_size = sizeof info;
    call_checked("describe", [&] { return api.describe(instance.handle(), UINT32_MAX, &info); });
  });
  refuse("create with a setting that it refuses", [&] {
    const Instance other(target, {{"fail_task", "no-number"}});
  });
  if ((device.info().flags & LOCI_DEVICE_HOST_MEMORY) != 0) return repeat.expect_some();
  refuse("mem_alloc of memory that it has not",
         [&] { device.free(device.allocate(std::uint64_t{1} << 60)); });
  refuse("mem_alloc of pinned memory",
         [&] { const Memory pinned(device, kCallBytes, LOCI_MEMORY_PINNED); });
  if (!device.has_streams()) return repeat.expect_some();
  const Event start(device, LOCI_EVENT_TIMED);
  const Event end(device, LOCI_EVENT_TIMED);
  refuse("event_elapsed_ns of events that were never recorded", [&] {
    if (api.event_elapsed_ns == nullptr) skip("it measures no time");
    std::uint64_t ns = 0;
    call_checked("event_elapsed_ns",
                 [&] { return api.event_elapsed_ns(start.get(), end.get(), &ns); });
  });
  if (instance.device_count() < 2) return repeat.expect_some();
  OpenDevice other(instance, target.index == 0 ? 1 : 0);
  const Stream stream(device);
  const Memory here(device, kCallBytes);
  const Memory there(other, kCallBytes);
  refuse("copy from a peer", [&] { refuse_copy_of_peer(device, other, stream, here, there); });
  repeat.expect_some();
}

}  // namespace

Check leaks_of_calls(const Target& target) {
  return on_target("life/heap_of_calls", target, check_calls);
}

Check leaks_of_refused_calls(const Target& target) {
  return on_target("fault/left_by_refused_calls", target, check_refused_calls);
}

}  // namespace loci::verify
