// The tensors of others that a graph reads or writes, and whether they are still what was captured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/inline_list.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/eager/task.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::capture {

// For messages: "'x' float32[4] at sim:0".
[[nodiscard]] std::string name_of(const tensor::TensorImpl& tensor);

// Keeps their memory, so that none of it can become another tensor's. A tensor that only graphs
// have is refused all the same, if that came after the capture: whoever replays may think of
// another one that he has set instead. What nobody had as the capture ended is a constant of the
// graph.
class OutsideTensors {
 public:
  OutsideTensors() = default;
  ~OutsideTensors();
  OutsideTensors(const OutsideTensors&) = delete;
  OutsideTensors& operator=(const OutsideTensors&) = delete;

  // An op that is captured, named for messages, has this access to the tensor.
  enum class Access : std::uint8_t { kRead, kReadOnHost, kWritten };
  void add(const tensor::TensorImpl& tensor, Access access, const std::string& op);
  // The host has read its elements within the capture, and what was captured may hang on them:
  // "[item()] of 'x' float32[1]".
  void add_host_read(const std::shared_ptr<tensor::Storage>& storage, std::string_view read);
  // Such a read; empty if there was none.
  [[nodiscard]] std::string host_read_of(const tensor::Storage& storage) const;
  // All of these.
  [[nodiscard]] std::vector<std::string> host_reads() const;
  [[nodiscard]] bool contains(const tensor::Storage& storage) const {
    return index_.count(&storage) != 0;
  }
  [[nodiscard]] bool is_written(const tensor::Storage& storage) const {
    const auto found = index_.find(&storage);
    return found != index_.end() && tensors_[found->second].is_written;
  }
  // Those that the graph's work reads or writes; not what only the host has read.
  [[nodiscard]] std::size_t count_used() const;

  // The capture has ended.
  void find_constants();
  // Before a replay of that graph, which has had so many since its capture. Throws
  // Error(kInvalidArgument), or what a tensor has failed with. Of a tensor that is gone it says
  // what costs nothing to know: the replay that still found it, and the thread on which its last
  // handle ended, with the call of the library's that let go of it. Whether the user's handle went
  // out of scope or was set to another tensor nobody is told.
  void check(std::uint64_t graph, std::uint64_t replays) const;
  // Those that are written have changed.
  void count_changes() const;
  [[nodiscard]] bool is_ready() const;
  void enter_uses(const tensor::Ticket& ticket, InlineList<eager::Dependency, 4>* before,
                  eager::Sources* sources) const;
  void fail(const std::shared_ptr<device::Failure>& failure) const;
  [[nodiscard]] std::shared_ptr<device::Failure> failure() const;
  // Clears the failures of tensors that are written before they are read.
  void clear_failures() const;

 private:
  struct Outside {
    std::shared_ptr<tensor::Storage> storage;
    tensor::StorageExtras* extras;  // the storage's
    bool is_read = false;           // before the graph writes it, if it does
    bool is_read_on_host = false;
    bool is_written = false;
    bool is_constant = false;
    std::string read_by_host = {};      // within the capture; empty: it was not
    std::uint64_t version_by_host = 0;  // that it had then
    std::string name;                   // as name_of() has it
    std::string op;                     // the first that has it
  };

  [[nodiscard]] static bool is_orphan(const Outside& tensor);
  [[nodiscard]] static bool has_changed_for_host(const Outside& tensor);
  [[nodiscard]] static std::string end_of(const Outside& tensor, std::uint64_t replays);
  [[noreturn]] static void refuse(const Outside& tensor, std::uint64_t graph,
                                  std::uint64_t replays);
  [[noreturn]] static void refuse_changed(const Outside& tensor, std::uint64_t graph);
  Outside& find_or_add(const std::shared_ptr<tensor::Storage>& storage);

  std::vector<Outside> tensors_;
  std::unordered_map<const tensor::Storage*, std::size_t> index_;
};

}  // namespace loci::capture
