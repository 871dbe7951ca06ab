// Where tensors lie and operators run.
#pragma once

#include <loci/export.hpp>
#include <string>
#include <string_view>

namespace loci {
inline namespace v0 {

// A device type and an index: "cpu", "cuda:0", "sim:1". "gpu" stands for any accelerator and is
// resolved when a program is compiled. Without an index it means device 0, or the executor's own
// device where that has the same type. The default is the host, "cpu".
class LOCI_PUBLIC Place {
 public:
  Place();
  // Throws Error(kInvalidArgument) unless `text` is a lower-case name with an optional ":<index>".
  Place(const char* text);         // NOLINT(google-explicit-constructor): "cpu" is a place
  Place(const std::string& text);  // NOLINT(google-explicit-constructor)
  Place(std::string type, int index);

  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  // 0 where none was given.
  [[nodiscard]] int index() const noexcept { return index_ < 0 ? 0 : index_; }
  [[nodiscard]] bool has_index() const noexcept { return index_ >= 0; }
  // Returns true for host memory, "cpu".
  [[nodiscard]] bool is_host() const noexcept { return type_ == "cpu"; }

  // "cpu" for the host, "type:index" otherwise.
  [[nodiscard]] std::string to_string() const;

  // An index that was not given equals 0.
  friend bool operator==(const Place& a, const Place& b) noexcept {
    return a.index() == b.index() && a.type_ == b.type_;
  }
  friend bool operator!=(const Place& a, const Place& b) noexcept { return !(a == b); }

 private:
  std::string type_;
  int index_ = -1;
};

}  // namespace v0
}  // namespace loci
