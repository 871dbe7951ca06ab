#include "framework/execution/run_recorder.h"

namespace loci::execution {

constinit thread_local RunRecorder* run_recorder [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace loci::execution
