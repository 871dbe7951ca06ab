#include "tools/conformance/verify/launch/launch_recorder.h"

#include <algorithm>
#include <utility>

namespace loci::verify {

namespace {

// Such launches the host does not record.
bool reads_host(const loci_launch& launch, const ArgumentCounts& counts) {
  return std::any_of(launch.inputs, launch.inputs + counts.inputs,
                     [](const loci_view* view) { return view->residence == LOCI_RESIDENCE_HOST; });
}

}  // namespace

// Never closed: the core closes its devices at the end of the process, behind everything else.
struct LaunchRecorder::Opened {
  LaunchPlace place;
  const loci_capture_api* api;
  loci_capturer* handle = nullptr;

  static loci_error* native_handle(void* context, loci_stream* stream, loci_str name,
                                   void** out_handle) {
    const LaunchPlace& place = static_cast<Opened*>(context)->place;
    *out_handle = nullptr;
    if (place.api.native_handle == nullptr) return nullptr;
    return place.api.native_handle(place.device, stream, name, out_handle);
  }
};

class LaunchRecorder::Rehearsal {
 public:
  Rehearsal(const Rehearsed& rehearsed, const Opened& opened, LaunchCopy& copy)
      : subject_(rehearsed), opened_(opened), copy_(copy) {}
  ~Rehearsal() {
    if (exec_ != nullptr) opened_.api->destroy_exec(exec_);
    if (graph_ != nullptr) opened_.api->destroy_graph(graph_);
  }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  std::string run(const Contents& want) {
    copy_.reset();
    const Contents before = copy_.read();
    if (std::string wrong = record(); !wrong.empty()) return wrong;
    if (copy_.read() != before) return says("does its work while the stream records");
    if (replay() != want) return says("computes something else in a replay than in a plain launch");
    copy_.turn();
    const Contents other = copy_.run(subject_.kernel);
    if (other.empty() || copy_.run(subject_.kernel) != other) return {};
    copy_.reset();
    if (replay() == other) return {};
    return says(
        "computes something else in a replay than in a plain launch, once its inputs hold other "
        "values: it reads them when it is launched");
  }

 private:
  [[nodiscard]] std::string says(const std::string& what) const {
    return fmt::format("{} says that it is LOCI_KERNEL_CAPTURABLE, and {}", subject_.name, what);
  }

  std::string record() {
    const loci_capture_op op{sizeof op, 0, to_abi(subject_.name), 1};
    loci_stream* stream = copy_.stream();
    call_checked("begin", [&] { return opened_.api->begin(opened_.handle, stream); });
    call_checked("annotate", [&] { return opened_.api->annotate(opened_.handle, stream, &op); });
    const bool is_launched = copy_.start(subject_.kernel, nullptr, LOCI_LAUNCH_CAPTURING);
    try {
      call_checked("end", [&] { return opened_.api->end(opened_.handle, stream, &graph_); });
    } catch (const PluginError& error) {
      return says(fmt::format("its launch spoils the recording of its stream: {}", error.what()));
    }
    if (!is_launched) return says("its launch fails while the stream records");
    call_checked("instantiate", [&] { return opened_.api->instantiate(graph_, &exec_); });
    return {};
  }

  Contents replay() {
    const loci_graph_launch launch{sizeof launch, 0, 0, 0, copy_.stream()};
    call_checked("launch of a graph", [&] { return opened_.api->launch(exec_, &launch); });
    return copy_.finish() ? copy_.read() : Contents();
  }

  const Rehearsed& subject_;
  const Opened& opened_;
  LaunchCopy& copy_;
  loci_graph* graph_ = nullptr;
  loci_graph_exec* exec_ = nullptr;
};

LaunchRecorder::LaunchRecorder(Target capturer, std::uint32_t index)
    : target_(std::move(capturer)), index_(index) {}

LaunchRecorder::~LaunchRecorder() = default;

LaunchRecorder::Opened& LaunchRecorder::open(const LaunchPlace& place) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Opened>& opened = opened_[place.device];
  if (opened != nullptr) return *opened;
  if (plugin_ == nullptr) plugin_ = std::make_unique<Instance>(target_);
  auto made = std::make_unique<Opened>(Opened{place, &plugin_->capture_api()});
  const loci_native_handles handles{sizeof handles, 0, made.get(), Opened::native_handle};
  call_checked("open of the capturer",
               [&] { return made->api->open(plugin_->handle(), index_, &handles, &made->handle); });
  opened = std::move(made);
  return *opened;
}

std::string LaunchRecorder::rehearse(const Rehearsed& rehearsed, const LaunchPlace& place,
                                     const loci_launch& launch) {
  if ((rehearsed.def.flags & LOCI_KERNEL_CAPTURABLE) == 0) return {};
  if (reads_host(launch, rehearsed.counts)) return {};
  LaunchCopy copy(place, launch, rehearsed.counts, /*turns=*/false);
  if (!copy.usable() || copy.stream() == nullptr) return {};
  const Contents want = copy.run(rehearsed.kernel);
  if (want.empty() || copy.run(rehearsed.kernel) != want) return {};
  ++count_;
  return Rehearsal(rehearsed, open(place), copy).run(want);
}

namespace {

// For ever: launches come until the process ends.
LaunchRecorder* the_recorder = nullptr;

}  // namespace

void use_launch_recorder(const Target& capturer, std::uint32_t index) {
  the_recorder = new LaunchRecorder(capturer, index);
}

LaunchRecorder* launch_recorder() { return the_recorder; }

std::string rehearse_as_set(const Rehearsed& rehearsed, const LaunchPlace& place,
                            const loci_launch& launch) {
  if (the_recorder != nullptr) return the_recorder->rehearse(rehearsed, place, launch);
  return rehearse(rehearsed, place, launch);
}

}  // namespace loci::verify
