// Fills.
#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/enqueue.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

CUresult fill(const char* name, const FillOperation& operation, CUstream stream,
              Synchrony synchrony) {
  return enter(name, kNeedsContext,
               [&](Call& call) { fill_memory(call, operation, stream, synchrony); });
}

CUresult fill_now(const char* name, const FillOperation& operation) {
  return fill(name, operation, nullptr, Synchrony::kBlocking);
}

CUresult fill_later(const char* name, const FillOperation& operation, CUstream stream) {
  return fill(name, operation, stream, Synchrony::kAsynchronous);
}

}  // namespace

CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill_now("cuMemsetD8_v2", {to, value, 1, count, 1, 0});
}
CUresult CUDAAPI cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill_now("cuMemsetD16_v2", {to, value, 2, count, 1, 0});
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  return fill_now("cuMemsetD32_v2", {to, value, 4, count, 1, 0});
}
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value,
                              std::size_t width, std::size_t height) {
  return fill_now("cuMemsetD2D8_v2", {to, value, 1, width, height, pitch});
}
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr to, std::size_t pitch, unsigned short value,
                               std::size_t width, std::size_t height) {
  return fill_now("cuMemsetD2D16_v2", {to, value, 2, width, height, pitch});
}
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                               std::size_t height) {
  return fill_now("cuMemsetD2D32_v2", {to, value, 4, width, height, pitch});
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count,
                                 CUstream stream) {
  return fill_later("cuMemsetD8Async", {to, value, 1, count, 1, 0}, stream);
}
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count,
                                  CUstream stream) {
  return fill_later("cuMemsetD16Async", {to, value, 2, count, 1, 0}, stream);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count,
                                  CUstream stream) {
  return fill_later("cuMemsetD32Async", {to, value, 4, count, 1, 0}, stream);
}
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value,
                                   std::size_t width, std::size_t height, CUstream stream) {
  return fill_later("cuMemsetD2D8Async", {to, value, 1, width, height, pitch}, stream);
}
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value,
                                    std::size_t width, std::size_t height, CUstream stream) {
  return fill_later("cuMemsetD2D16Async", {to, value, 2, width, height, pitch}, stream);
}
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value,
                                    std::size_t width, std::size_t height, CUstream stream) {
  return fill_later("cuMemsetD2D32Async", {to, value, 4, width, height, pitch}, stream);
}
