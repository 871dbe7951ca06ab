// The linker at run time.
#include <cstring>

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/external_functions.h"
#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/image.h"

namespace loci::cuda_double {
namespace {

class LinkState : public Object {
 public:
  static constexpr const char* kKind = "link";
  LinkState(unsigned count, CUjit_option* options, void** values) : log(count, options, values) {}
  [[nodiscard]] const char* kind() const override { return kKind; }

  CompileLog log;
  std::vector<std::string> texts;
  std::vector<std::byte> image;  // what cuLinkComplete() gave
};

std::shared_ptr<LinkState> link_of(Call& call, CUlinkState handle) {
  return call.driver.registry.get<LinkState>(handle);
}

// Loads the texts and throws the result away: what is wrong is said now. Functions that nothing
// defines are no error yet while more may be added.
void try_out(Call& call, LinkState& link, const std::vector<std::string>& texts,
             bool may_lack_functions) {
  const auto missing = unresolved_functions(texts);
  if (!missing.empty() && may_lack_functions) return;
  if (!missing.empty()) {
    link.log.error("error: nothing defines the function " + *missing.begin());
    throw DriverError(CUDA_ERROR_INVALID_SOURCE, "nothing defines a function");
  }
  load_module(call, call.context(), texts, link.log)->unload();
}

bool is_archive(const void* data, std::size_t bytes) {
  constexpr char kMark[] = "!<arch>\n";
  return bytes >= sizeof kMark - 1 && std::memcmp(data, kMark, sizeof kMark - 1) == 0;
}

void add(Call& call, LinkState& link, CUjitInputType type, const void* data, std::size_t bytes) {
  require(data != nullptr && bytes > 0, "there is nothing to link");
  switch (type) {
    case CU_JIT_INPUT_PTX:
      link.texts.emplace_back(static_cast<const char*>(data),
                              strnlen(static_cast<const char*>(data), bytes));
      break;
    case CU_JIT_INPUT_FATBINARY:
      for (auto& text : ptx_texts(data)) link.texts.push_back(std::move(text));
      break;
    case CU_JIT_INPUT_LIBRARY:
      // The one library that there is, the device runtime, is part of the double.
      require(is_archive(data, bytes), "it is no library");
      break;
    default:
      static_cast<void>(call);
      throw DriverError(CUDA_ERROR_NO_BINARY_FOR_GPU, "the double links PTX alone");
  }
}

}  // namespace
}  // namespace loci::cuda_double

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

CUresult CUDAAPI cuLinkCreate(unsigned count, CUjit_option* options, void** values,
                              CUlinkState* link) {
  return enter("cuLinkCreate_v2", kNeedsContext, [&](Call& call) {
    auto& place = result(link);
    auto made = std::make_shared<LinkState>(count, options, values);
    call.driver.registry.add(made);
    place = handle_of<CUlinkState>(made.get());
  });
}

CUresult CUDAAPI cuLinkAddData(CUlinkState link, CUjitInputType type, void* data, std::size_t bytes,
                               const char*, unsigned, CUjit_option*, void**) {
  return enter("cuLinkAddData_v2", kNeedsContext, [&](Call& call) {
    const auto state = link_of(call, link);
    const std::size_t before = state->texts.size();
    add(call, *state, type, data, bytes);
    try {
      const std::vector<std::string> added(
          state->texts.begin() + static_cast<std::ptrdiff_t>(before), state->texts.end());
      if (!added.empty()) try_out(call, *state, added, true);
    } catch (const DriverError&) {
      state->texts.resize(before);
      throw;
    }
  });
}

CUresult CUDAAPI cuLinkComplete(CUlinkState link, void** image, std::size_t* bytes) {
  return enter("cuLinkComplete", kNeedsContext, [&](Call& call) {
    const auto state = link_of(call, link);
    auto& place = result(image);
    try_out(call, *state, state->texts, false);
    state->image = make_linked_image(state->texts);
    place = state->image.data();
    if (bytes != nullptr) *bytes = state->image.size();
  });
}

CUresult CUDAAPI cuLinkDestroy(CUlinkState link) {
  return enter("cuLinkDestroy", kPlain,
               [&](Call& call) { call.driver.registry.remove(link_of(call, link).get()); });
}
