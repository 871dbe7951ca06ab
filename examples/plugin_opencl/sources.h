// The files of kernels/, in the library: CMakeLists.txt makes the definitions.
#pragma once

namespace opencl {

struct Source {
  const char* name;  // of the file
  const char* code;
};

extern const Source kCommonSource;  // goes before each of the others
extern const Source kElementwiseSource;
extern const Source kLossSource;
extern const Source kMatmulSource;
extern const Source kOptimizerSource;
extern const Source kReduceSource;

}  // namespace opencl
