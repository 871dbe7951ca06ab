#include "framework/io/npy_reader.h"

#include <array>
#include <cstring>
#include <memory>

#include "framework/core/file_error.h"
#include "framework/io/elements.h"
#include "framework/io/npy_header.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

// Far beyond what a plain array needs.
constexpr std::uint64_t kLongestHeader = 65535;
constexpr std::uint64_t kShortestFile = 10;

// Reads all before the header, and says how long that is.
class Preamble {
 public:
  explicit Preamble(NpySource& source) : source_(source) {
    read_magic();
    read_version();
    read_length();
  }
  // Length of the dictionary.
  [[nodiscard]] std::uint64_t header_bytes() const { return header_bytes_; }
  // Before it.
  [[nodiscard]] std::uint64_t bytes() const { return 8 + length_bytes_; }

 private:
  void read_magic() {
    if (source_.size() < kShortestFile) {
      core::refuse(source_.name(), "magic", "{} bytes are too few for an npy file", source_.size());
    }
    std::array<char, kNpyMagic.size()> magic{};
    source_.read(magic.data(), magic.size(), "magic");
    if (std::memcmp(magic.data(), kNpyMagic.data(), magic.size()) == 0) return;
    const bool zip = magic[0] == 'P' && magic[1] == 'K';
    core::refuse(source_.name(), "magic", "is not an npy file{}",
                 zip ? " but a zip archive, perhaps an npz; give it a name that ends in .npz" : "");
  }
  void read_version() {
    std::array<unsigned char, 2> version{};
    source_.read(version.data(), version.size(), "version");
    if (version[0] < 1 || version[0] > 3 || version[1] != 0) {
      core::refuse(source_.name(), "version", "{}.{} is not known; there are 1.0, 2.0 and 3.0",
                   version[0], version[1]);
    }
    length_bytes_ = version[0] == 1 ? 2 : 4;
  }
  void read_length() {
    if (source_.size() < bytes()) {
      core::refuse(source_.name(), "header length", "the file is truncated");
    }
    std::uint32_t length = 0;
    source_.read(&length, length_bytes_, "header length");
    header_bytes_ = length;
    const std::uint64_t left = source_.size() - bytes();
    if (header_bytes_ > kLongestHeader) {
      core::refuse(source_.name(), "header length", "{} is more than {}", header_bytes_,
                   kLongestHeader);
    }
    if (header_bytes_ > left) {
      core::refuse(source_.name(), "header length",
                   "{}, but only {} bytes follow; the file is truncated or damaged", header_bytes_,
                   left);
    }
  }

  NpySource& source_;
  std::uint64_t length_bytes_ = 0;
  std::uint64_t header_bytes_ = 0;
};

void check_size(const NpySource& source, const NpyHeader& header, std::uint64_t present) {
  const auto bytes = byte_size(header.shape, header.dtype);
  if (!bytes) {
    core::refuse(source.name(), "shape", "{} does not fit into memory", header.shape.to_string());
  }
  if (present == *bytes) return;
  core::refuse(source.name(), "data", "{} bytes, but {} {} has {}; the file is {}", present,
               dtype_name(header.dtype), header.shape.to_string(), *bytes,
               present < *bytes ? "truncated" : "damaged or holds several arrays");
}

void read_elements(NpySource& source, const NpyHeader& header, std::uint64_t bytes, void* into) {
  if (header.fortran_order && header.shape.rank() > 1) {
    const std::unique_ptr<char[]> unordered(new char[bytes]);
    source.read(unordered.get(), bytes, "data");
    fortran_to_c_order(unordered.get(), into, header.shape, dtype_size(header.dtype));
  } else {
    source.read(into, bytes, "data");
  }
  if (header.big_endian) {
    const std::size_t element = dtype_size(header.dtype);
    swap_byte_order(into, bytes / element, element);
  }
}

}  // namespace

Tensor read_npy(NpySource& source) {
  const Preamble preamble(source);
  std::string text(preamble.header_bytes(), '\0');
  source.read(text.data(), text.size(), "header");
  const NpyHeader header = parse_npy_header(text, source.name());
  const std::uint64_t bytes = source.size() - preamble.bytes() - preamble.header_bytes();
  check_size(source, header, bytes);
  Tensor tensor = Tensor::generate(header.shape, header.dtype, [&](void* elements) {
    read_elements(source, header, bytes, elements);
  });
  if (header.dtype == kBool) {
    if (const auto bad = find_bad_bool(tensor.read_data(), tensor.bytes())) {
      core::refuse(source.name(), "data", "element {} is neither 0 nor 1, as a bool is", *bad);
    }
  }
  return tensor;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
