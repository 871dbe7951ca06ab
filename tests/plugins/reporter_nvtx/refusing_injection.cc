// A tool that cannot start, as one for another machine.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*)(std::uint32_t)) {
  return 0;
}
