// A handle of cuDNN: the double's kernels in the context that was current when it was created, and
// the stream that they are enqueued on.
#pragma once

#include <cuda.h>

#include <atomic>
#include <string>

namespace loci::cudnn_double {

class Handle {
 public:
  // Throws Refusal without a current context, and where the device is no emulated one.
  Handle();
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // "convolve_f32". Throws Refusal.
  [[nodiscard]] CUfunction function(const std::string& name) const;

  // The handles that exist. Any thread may call. of() throws Refusal for one that is none, or none
  // any more.
  static Handle* create();
  static Handle& of(Handle* handle);
  static void destroy(Handle* handle);

  // A handle while a call uses it. Throws Refusal where another thread does, or another context
  // than the handle's is current.
  class Use {
   public:
    explicit Use(Handle* handle);
    ~Use() { handle_.is_used_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    [[nodiscard]] const Handle& get() const { return handle_; }
    [[nodiscard]] CUstream stream() const { return handle_.stream_; }
    void set_stream(CUstream stream) { handle_.stream_ = stream; }

   private:
    Handle& handle_;
  };

 private:
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUstream stream_ = nullptr;
  std::atomic<bool> is_used_{false};
};

}  // namespace loci::cudnn_double
