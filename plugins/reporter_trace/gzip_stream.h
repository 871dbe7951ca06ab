// Compresses what passes through it into one gzip member.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace loci::report {

class GzipStream {
 public:
  using Sink = std::function<void(std::string_view bytes)>;
  // Throws std::bad_alloc.
  explicit GzipStream(Sink sink);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  void write(std::string_view text);
  // To be called last.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loci::report
