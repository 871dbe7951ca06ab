// Stands for libnvToolsExt.so.1, by its soname.
#include <string>

namespace {
std::string heard;  // NOLINT: the library's one state
}

extern "C" __attribute__((visibility("default"))) int nvtxRangePushA(const char* message) {
  heard.append("<").append(message);
  return 0;
}

extern "C" __attribute__((visibility("default"))) int nvtxRangePop() {
  heard += ">";
  return 0;
}

extern "C" __attribute__((visibility("default"))) const char* fake_tool_heard() {
  return heard.c_str();
}
