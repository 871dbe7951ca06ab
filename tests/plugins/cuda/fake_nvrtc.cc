// A library that has NVRTC's functions and compiles nothing. LOCI_FAKE_NVRTC is what it says it is:
// "13.0", or "0.0" for one that does not tell. Its only architecture is that of
// LOCI_FAKE_ARCHITECTURE, 80 without it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kCompilationFailed = 6;
constexpr char kLog[] = "fused.cu(1): error: no\nand more\n";

int program = 0;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvrtcVersion(int* major, int* minor) {
  const char* text = std::getenv("LOCI_FAKE_NVRTC");
  return text != nullptr && std::sscanf(text, "%d.%d", major, minor) == 2 ? 0 : 1;
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}

int nvrtcGetSupportedArchs(int* numbers) {
  const char* text = std::getenv("LOCI_FAKE_ARCHITECTURE");
  *numbers = text == nullptr ? 80 : std::atoi(text);
  return 0;
}

int nvrtcCreateProgram(void** made, const char*, const char*, int, const char* const*,
                       const char* const*) {
  *made = &program;
  return 0;
}

int nvrtcDestroyProgram(void** made) {
  *made = nullptr;
  return 0;
}

int nvrtcCompileProgram(void*, int, const char* const*) { return kCompilationFailed; }
int nvrtcGetPTXSize(void*, std::size_t*) { return 1; }
int nvrtcGetPTX(void*, char*) { return 1; }

int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = sizeof kLog;
  return 0;
}

int nvrtcGetProgramLog(void*, char* text) {
  std::memcpy(text, kLog, sizeof kLog);
  return 0;
}

const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }

}  // extern "C"
#pragma GCC visibility pop
