#include <array>
#include <cstdint>
#include <cstring>
#include <loci/io.hpp>
#include <memory>

#include "framework/core/atomic_file.h"
#include "framework/core/file_error.h"
#include "framework/core/input_file.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/io/elements.h"
#include "framework/io/npy_header.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

// Far beyond what a plain array needs.
constexpr std::uint64_t kLongestHeader = 65535;

// Where the dictionary lies.
struct HeaderRange {
  std::uint64_t offset;
  std::uint64_t bytes;
};

HeaderRange find_header(const core::InputFile& file) {
  std::array<unsigned char, 12> start{};
  constexpr std::uint64_t kShortest = 10;
  if (file.size() < kShortest) {
    core::refuse(file.path(), "magic", "{} bytes are too few for an npy file", file.size());
  }
  file.read(0, start.data(), std::min<std::uint64_t>(file.size(), start.size()), "magic");
  if (std::memcmp(start.data(), kNpyMagic.data(), kNpyMagic.size()) != 0) {
    const bool zip = start[0] == 'P' && start[1] == 'K';
    core::refuse(file.path(), "magic", "is not an npy file{}",
                 zip ? " but a zip archive, perhaps an npz; extract its arrays" : "");
  }
  const unsigned major = start[6];
  if (major < 1 || major > 3 || start[7] != 0) {
    core::refuse(file.path(), "version", "{}.{} is not known; there are 1.0, 2.0 and 3.0", major,
                 start[7]);
  }
  if (major == 1) return {10, start[8] + std::uint64_t{start[9]} * 256};
  if (file.size() < start.size())
    core::refuse(file.path(), "header length", "the file is truncated");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, start.data() + 8, sizeof(bytes));
  return {start.size(), bytes};
}

NpyHeader read_header(const core::InputFile& file, const HeaderRange& range) {
  if (range.bytes > kLongestHeader) {
    core::refuse(file.path(), "header length", "{} is more than {}", range.bytes, kLongestHeader);
  }
  if (range.bytes > file.size() - range.offset) {
    core::refuse(file.path(), "header length",
                 "{}, but only {} bytes follow; the file is truncated or damaged", range.bytes,
                 file.size() - range.offset);
  }
  return parse_npy_header(file.read_text(range.offset, range.bytes, "header"), file.path());
}

void check_size(const core::InputFile& file, const NpyHeader& header, std::uint64_t offset) {
  const auto bytes = byte_size(header.shape, header.dtype);
  if (!bytes)
    core::refuse(file.path(), "shape", "{} does not fit into memory", header.shape.to_string());
  const std::uint64_t present = file.size() - offset;
  if (present == *bytes) return;
  core::refuse(file.path(), "data", "{} bytes, but {} {} has {}; the file is {}", present,
               dtype_name(header.dtype), header.shape.to_string(), *bytes,
               present < *bytes ? "truncated" : "damaged or holds several arrays");
}

Tensor read_elements(const core::InputFile& file, const NpyHeader& header, std::uint64_t offset) {
  Tensor tensor = Tensor::empty(header.shape, header.dtype);
  const std::size_t bytes = tensor.bytes();
  if (header.fortran_order && header.shape.rank() > 1) {
    const std::unique_ptr<char[]> unordered(new char[bytes]);
    file.read(offset, unordered.get(), bytes, "data");
    fortran_to_c_order(unordered.get(), tensor.raw_data(), header.shape, dtype_size(header.dtype));
  } else {
    file.read(offset, tensor.raw_data(), bytes, "data");
  }
  return tensor;
}

}  // namespace

Tensor load_npy(const std::string& path) {
  const core::InputFile file(path);
  const HeaderRange range = find_header(file);
  const NpyHeader header = read_header(file, range);
  const std::uint64_t offset = range.offset + range.bytes;
  check_size(file, header, offset);
  Tensor tensor = read_elements(file, header, offset);
  if (header.big_endian) {
    swap_byte_order(tensor.raw_data(), static_cast<std::size_t>(tensor.numel()),
                    dtype_size(header.dtype));
  }
  if (header.dtype == kBool) {
    if (const auto bad = find_bad_bool(tensor.raw_data(), tensor.bytes())) {
      core::refuse(path, "data", "element {} is neither 0 nor 1, as a bool is", *bad);
    }
  }
  return tensor;
}

void save_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.defined()) {
    core::raise(ErrorCode::kInvalidArgument, "[io] {}: the tensor is undefined", path);
  }
  const std::string preamble = npy_preamble(tensor.dtype(), tensor.shape());
  const Tensor host = tensor.to(Place());
  core::AtomicFile file(path);
  file.write(preamble.data(), preamble.size());
  file.write(host.raw_data(), host.bytes());
  file.commit();
}

}  // namespace io
}  // namespace v0
}  // namespace loci
