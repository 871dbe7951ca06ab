// Steps that capture themselves: imperative code that is run plainly at first, then captured as a
// graph (loci/graph.hpp) for each form of its inputs, and replayed from then on.
//
//   const loci::CapturedFunction step([&](const std::vector<loci::Tensor>& in) {
//     model.zero_grad();
//     const loci::Tensor loss = loss_of(model(in[0]), in[1]);
//     loss.backward();
//     optimizer.step(parameters);
//     return std::vector<loci::Tensor>{loss};
//   });
//   for (const Batch& batch : data) losses.push_back(step({batch.images, batch.labels})[0]);
//
// A replay does what the device was given by the call that was captured; the code of C++ in the
// function does not run again. So whatever it computes on the host is as it was at the capture, and
// a tensor that it takes from elsewhere is the one that it took then: change such tensors in place,
// or call reset() once you put others in their place. That a tensor is gone is noticed, and
// captured anew, once no work that is under way uses it.
//
// Where a form of inputs cannot be captured, its calls run plainly: the reason stands in report()
// and is logged once, also if the form is forgotten for others and comes back. Results are the same
// to the bit, whichever way a call goes; but in buckets kernels may sum in another order, and
// random ops, where the user says that rows are independent, draw for the further rows too.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <loci/trace.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loci {
namespace capture {
class CapturedFunctionImpl;
}

inline namespace v0 {

struct CaptureOptions {
  // The place of the graphs. Without one: that of the innermost DeviceGuard, else of the first
  // input that is not on the host, else the CPU.
  std::optional<Place> place = {};
  // Plain calls of each form of inputs before it is captured, at least 1: what is done once, such
  // as making an optimizer's state, belongs into no graph.
  int warm_up = 1;
  // Bytes that graphs and copies of inputs may take. Past that, what has not been called for
  // longest goes; it is captured again when it comes back. A form whose last plain call has shown
  // that its graph alone needs more is not captured at all.
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  // Extents of dimension 0, ascending. Inputs with another one are filled up with rows of zeros to
  // the next larger, and the results cut to the rows that were given, so that one capture serves
  // many extents. Calls with more rows than the largest run plainly. All inputs have the same
  // extent, and so has each result.
  //
  // That is done only where each row of each result hangs on the same row of the inputs alone: a
  // mean over rows, or statistics of a batch, would silently be those of the rows that were filled
  // up. For each bucket it is found out after the first call, which gets its inputs as they are:
  // the function is traced (loci/trace.hpp) with the bucket's rows and with one fewer, which calls
  // it twice more, with tensors without elements. Where there is no proof, as with an op that says
  // nothing of rows, random numbers, control flow, tensors changed in place, or elements read on
  // the host, calls run plainly on what they are given, and report() has the reason. What is not
  // seen is code of C++ that goes another way for yet another number of rows.
  std::vector<std::int64_t> buckets = {};
  // That each row of each result hangs on the same row of the inputs alone, where the user knows
  // it: nothing is traced then, and buckets are filled up whatever the function does.
  bool rows_are_independent = false;
  // Results have memory of their own. Otherwise they are the graph's, which the next call with
  // inputs of that form overwrites.
  bool copies_results = true;
};

enum class CaptureState : std::uint8_t {
  kWarmingUp,
  kCaptured,
  kPlain,  // cannot be captured
};

// Inputs of certain dtypes, shapes and places.
struct CapturedForm {
  std::string inputs;  // "float32[8, 3] at cpu, int64[8] at cpu"
  CaptureState state = CaptureState::kWarmingUp;
  std::string reason;  // why it is plain, or why it was captured anew; else empty
  std::uint64_t plain_calls = 0;
  std::uint64_t replays = 0;
  std::uint64_t captures = 0;
  std::uint64_t peak_bytes = 0;  // of the graph's own memory
  // The least that peak_bytes will be: the bytes of the tensors that the last plain call before the
  // capture had at one time. Zero before that call, and where it made none.
  std::uint64_t estimated_bytes = 0;
  std::uint64_t input_bytes = 0;  // of the copies of inputs that it reads
  std::uint64_t capture_ns = 0;   // of the latest capture
};

struct LOCI_PUBLIC CaptureReport {
  std::vector<CapturedForm> forms;  // the latest used first
  std::uint64_t evictions = 0;      // captures that went for the sake of most_bytes
  std::uint64_t bytes_held = 0;     // by graphs and copies of inputs, now
  [[nodiscard]] std::string to_string() const;
};

// A handle: copies mean the same captures. May be called from several threads, which take turns.
class LOCI_PUBLIC CapturedFunction {
 public:
  // Throws Error(kInvalidArgument) for options that contradict each other.
  explicit CapturedFunction(TensorFunction fn, CaptureOptions options = {});

  // Throws what the function throws, and Error(kInvalidArgument) for undefined inputs. Inputs are
  // not changed: a function that changes one in place is not captured, and neither is one whose
  // results still require a gradient. Within a trace or another capture it is called plainly.
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const;
  // Warms up and captures ahead of the first call: the form of `example`, or with buckets each of
  // them, the largest first, so that the smaller ones find its memory. Runs the function as often
  // as warm_up says, on `example` filled up with zeros, and once more on `example` itself where
  // buckets have to be proven.
  void prepare(const std::vector<Tensor>& example) const;
  [[nodiscard]] CaptureReport report() const;
  // Forgets all captures, and why others failed.
  void reset() const;

 private:
  std::shared_ptr<capture::CapturedFunctionImpl> impl_;
};

}  // namespace v0
}  // namespace loci
