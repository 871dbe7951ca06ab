// Functions of one float or double that the device's library has, of every argument and within a
// few units in the last place.
#pragma once

#include <cmath>

namespace loci::cuda {

struct Sin {
  template <class C>
  static __device__ C value(C x) {
    return sin(x);
  }
};

struct Cos {
  template <class C>
  static __device__ C value(C x) {
    return cos(x);
  }
};

struct Tan {
  template <class C>
  static __device__ C value(C x) {
    return tan(x);
  }
};

struct Asin {
  template <class C>
  static __device__ C value(C x) {
    return asin(x);
  }
};

struct Acos {
  template <class C>
  static __device__ C value(C x) {
    return acos(x);
  }
};

struct Atan {
  template <class C>
  static __device__ C value(C x) {
    return atan(x);
  }
};

struct Sinh {
  template <class C>
  static __device__ C value(C x) {
    return sinh(x);
  }
};

struct Cosh {
  template <class C>
  static __device__ C value(C x) {
    return cosh(x);
  }
};

struct Asinh {
  template <class C>
  static __device__ C value(C x) {
    return asinh(x);
  }
};

struct Acosh {
  template <class C>
  static __device__ C value(C x) {
    return acosh(x);
  }
};

struct Atanh {
  template <class C>
  static __device__ C value(C x) {
    return atanh(x);
  }
};

struct Exp2 {
  template <class C>
  static __device__ C value(C x) {
    return exp2(x);
  }
};

struct Expm1 {
  template <class C>
  static __device__ C value(C x) {
    return expm1(x);
  }
};

struct Log1p {
  template <class C>
  static __device__ C value(C x) {
    return log1p(x);
  }
};

struct Log2 {
  template <class C>
  static __device__ C value(C x) {
    return log2(x);
  }
};

struct Trunc {
  template <class C>
  static __device__ C value(C x) {
    return trunc(x);
  }
};

}  // namespace loci::cuda
