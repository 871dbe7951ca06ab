// Profiles made by hand, for reporters under test.
#pragma once

#include <loci/abi/profile.h>

#include <deque>
#include <string>
#include <vector>

namespace loci::verify {

enum class SampleNames {
  kNone,   // nothing has been recorded
  kPlain,  // words
  kOdd     // control characters, bytes that are no UTF-8, quotes, none at all, 100,000 bytes
};

// A session of one millisecond: in its main thread a run with an operator, its phases, a copy for
// which the host waits, a gradient and a wait; in another a user range that is still open at the
// end; on a device a copy and a kernel. The figures fit each other as loci/abi/profile.h has them.
class SampleProfile {
 public:
  explicit SampleProfile(SampleNames names);
  SampleProfile(const SampleProfile&) = delete;
  SampleProfile& operator=(const SampleProfile&) = delete;

  [[nodiscard]] const loci_profile& get() const { return profile_; }

 private:
  loci_str text(std::string text);
  loci_str name(const char* plain);
  void add_labels_and_spans();
  void add_nodes();
  void add_threads();
  void add_devices();
  void add_memory();
  void point();

  SampleNames names_;
  std::size_t odd_ = 0;
  std::deque<std::string> texts_;  // whose addresses stay
  std::vector<loci_profile_label> labels_;
  std::vector<loci_profile_span> spans_;
  std::vector<loci_profile_node> nodes_;
  std::vector<loci_profile_node> thread_nodes_;
  std::vector<std::uint32_t> node_spans_;
  std::vector<loci_profile_thread> threads_;
  std::vector<loci_profile_device> devices_;
  std::vector<loci_profile_device_span> device_spans_;
  std::vector<loci_profile_gap> gaps_;
  std::vector<loci_profile_step> steps_;
  std::vector<loci_profile_copy> copies_;
  std::vector<loci_profile_memory_event> memory_events_;
  std::vector<loci_profile_tensor> tensors_;
  std::vector<loci_profile_drop> drops_;
  std::vector<loci_str> notes_;
  loci_profile_quality quality_{};
  loci_profile profile_{};
};

}  // namespace loci::verify
