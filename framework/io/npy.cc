#include <cstdint>
#include <loci/io.hpp>
#include <string>

#include "framework/core/atomic_file.h"
#include "framework/core/input_file.h"
#include "framework/core/raise.h"
#include "framework/io/npy_header.h"
#include "framework/io/npy_reader.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

class NpyFile final : public NpySource {
 public:
  explicit NpyFile(const std::string& path) : file_(path) {}
  [[nodiscard]] const std::string& name() const override { return file_.path(); }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  void read(void* into, std::uint64_t bytes, const char* field) override {
    file_.read(position_, into, bytes, field);
    position_ += bytes;
  }

 private:
  core::InputFile file_;
  std::uint64_t position_ = 0;
};

}  // namespace

Tensor load_npy(const std::string& path) {
  NpyFile file(path);
  return read_npy(file);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.defined()) {
    core::raise(ErrorCode::kInvalidArgument, "[io] {}: the tensor is undefined", path);
  }
  const std::string preamble = npy_preamble(tensor.dtype(), tensor.shape());
  const Tensor host = tensor.to(Place());
  core::AtomicFile file(path);
  file.write(preamble.data(), preamble.size());
  file.write(host.read_data(), host.bytes());
  file.commit();
}

}  // namespace io
}  // namespace v0
}  // namespace loci
