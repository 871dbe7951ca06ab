// The one way to move bytes between places, and its ledger.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/device/device.h"
#include "framework/memory/intern.h"

namespace loci::transfer {

enum class Reason : std::uint8_t {
  kFeed,         // a fed value that the place cannot read where it lies
  kFetch,        // a result on its way to the host
  kPrepareData,  // an input that lies elsewhere
  kHostRead,     // an op reads a value on the host
  kFallback,     // for an op whose place has no kernel: to the CPU, and what it gives back
  kExplicit,     // the user asked for it
  kWriteBack,    // state that an op updated away from its home
  kLoad,         // a persistable variable gets where a run needs it, for the first time
  kPack,         // a constant is put into the layout that a kernel likes, within its place
};
std::string_view reason_name(Reason reason);  // "prepare_data"

// Names of a transfer; string literals, or text that outlives the process's use of the ledger (use
// intern()).
struct Labels {
  const char* variable = "";
  const char* producer = "";
  const char* consumer = "";
  Reason reason = Reason::kExplicit;
  DType dtype = DType::kNone;  // where it is known
};
using memory::intern;

// One end: a device, or null for host memory.
struct End {
  device::Device* device = nullptr;
  void* data = nullptr;
};

// A row of the ledger.
struct Row {
  Labels labels;
  Place from;
  Place to;
  std::uint64_t bytes = 0;
  const char* layout = "dense";  // at the end; at the beginning it is dense; lives as labels do
  bool host_waited = false;
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;  // of the call; for an asynchronous one, of enqueuing it
};

class Budget;

// The answer of the policy in force about one copy: kept where the copy is made later, or by a
// thread that is under another policy. A default one is of a copy that no policy is about.
class Permit {
 public:
  Permit() = default;
  explicit Permit(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}

  // Null where nothing is counted.
  [[nodiscard]] Budget* budget() const { return budget_.get(); }

 private:
  std::shared_ptr<Budget> budget_;
};

// Asks the policy of the calling thread before anything of the copy is done: logs it, or throws
// Error(kPolicy) if it is forbidden. No policy is about a copy within one memory space, or one of
// zero bytes. The ends need no data yet.
[[nodiscard]] Permit permit(const End& from, const End& to, std::uint64_t bytes,
                            const Labels& labels);

// Copies `bytes` from one place to another on `stream` (of the device end; of the target if both
// are; NULL: the default one), and writes the row. A device that uses host memory counts as the
// host. Both ends in one memory space: counted as a copy within a place, no row. Two devices whose
// backend cannot copy between them: through host memory, a row for each half, and the host waits.
// With `wait` the host waits for the copy; without it both ends have to stay valid until the stream
// reaches it. Work on other streams is the caller's to order. Zero bytes are no copy.
// It has its permit: throws Error(kPolicy) afterwards if the host has waited once more than that
// one's budget allows. The device knows it by that correlation; 0: by a new one, as each half of a
// copy through host memory is known.
void copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
          loci_stream* stream, bool wait, const Permit& asked, std::uint64_t correlation = 0);
// Copies like the function above, and asks for the permit itself.
void copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
          loci_stream* stream, bool wait);

// Notes a copy within a place that the device makes by itself, in a graph that was launched: counts
// it, and shows it in a profile, as copy() would have. `correlation` is that of the device's
// record.
void note_local_copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                     std::uint64_t correlation);

// Copies as copy() does without a wait, on a stream that the caller orders behind what makes the
// source and behind what uses the target, and nothing waits for it by itself.
void enqueue_copy(const End& from, const End& to, std::uint64_t bytes, const Labels& labels,
                  loci_stream* stream);

// A copy of a tensor at another place, which is resolved; the same tensor if it is there already.
// The host waits, so the copy may be used on any stream. The labels' dtype is set from the tensor.
Tensor to_place(const Tensor& tensor, const Place& place, const Labels& labels);
// Into existing storage of the same dtype and shape; throws Error(kInvalidArgument) for another.
// The host waits, except for a copy within a place, which is behind what its default stream has.
void copy_tensor(const Tensor& from, const Tensor& to, const Labels& labels);

// Sums over all rows so far, cleared ones too, and copies within places.
struct Totals {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t synchronous = 0;
  std::uint64_t local_copies = 0;
  std::uint64_t local_bytes = 0;
};
Totals totals();
// The latest rows, oldest first; at most 65,536 are kept. Those of the reason kPack stay within a
// place, and are local copies in the totals.
std::vector<Row> rows();
void clear_rows();

}  // namespace loci::transfer
