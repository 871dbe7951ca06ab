#include "plugins/reporter_nvtx/nvtx_reporter.h"

#include <loci/abi/host.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace loci::report {
namespace {

// Text of limited length on the stack; what does not fit is left out.
class ShortText {
 public:
  ShortText& add(loci_str text) {
    const std::size_t size = std::min<std::size_t>(text.size, text_.size() - 1 - size_);
    if (size != 0) std::memcpy(text_.data() + size_, text.data, size);
    size_ += size;
    return *this;
  }
  ShortText& add(const char* text) { return add({text, std::strlen(text)}); }
  // A word of its own, if there is any.
  ShortText& word(loci_str text) { return text.size == 0 ? *this : add(" ").add(text); }
  const char* c_str() {
    text_[size_] = '\0';
    return text_.data();
  }

 private:
  std::array<char, 256> text_;
  std::size_t size_ = 0;
};

void add_title(ShortText& text, const loci_profile_label& label) {
  text.add(label.name).word(label.instance);
  switch (label.kind) {
    case LOCI_SPAN_COPY:
      text.word(label.variable).word(label.source).add(" ->").word(label.target);
      break;
    case LOCI_SPAN_USER: text.word(label.detail); break;
    case LOCI_SPAN_WAIT: text.word(label.place); break;
    default: break;
  }
}

}  // namespace

NvtxReporter::NvtxReporter(const sdk::Host& host, const sdk::ReporterOptions& options)
    : NvtxReporter(host, options, nvtx_tool()) {}

NvtxReporter::NvtxReporter(const sdk::Host& host, const sdk::ReporterOptions& options,
                           const NvtxTool& tool)
    : push_(tool.push), pop_(tool.pop) {
  options.expect({"quality"});
  host.log(LOCI_LOG_INFO, std::string("[reporter] nvtx: ").append(tool.finding));
}

void NvtxReporter::range_begin(const loci_profile_label& label) const {
  if (push_ == nullptr) return;
  ShortText text;
  add_title(text, label);
  push_(text.c_str());
}

void NvtxReporter::range_end() const {
  if (pop_ != nullptr) pop_();
}

}  // namespace loci::report
