#include "framework/run/run_recorder.h"

namespace loci::runtime {

constinit thread_local RunRecorder* run_recorder [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace loci::runtime
