// Files as NumPy 2.4.6 writes them. Element i, in C order, is i * 3 - 4 for signed integers, i * 3
// + 1 for unsigned ones, (i * 3 - 4) / 4 for floats, and whether i is odd for bool.
#pragma once

#include <array>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <string_view>

namespace loci::io_test {

struct NumpyFile {
  const char* name;
  DType dtype;
  Shape shape;
  std::string_view bytes;
};

// In C order, little endian, version 1.0: save_npy() writes the same bytes.
inline const std::array<NumpyFile, 16> kPlainNumpyFiles{{
    {"bool", kBool, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x00\x01\x00\x01\x00\x01",
         134)},
    {"int8", kInt8, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xfc\xff\x02\x05\x08\x0b",
         134)},
    {"int16", kInt16, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xfc\xff\xff\xff\x02\x00\x05"
         "\x00\x08\x00\x0b\x00",
         140)},
    {"int32", kInt32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xfc\xff\xff\xff\xff\xff\xff"
         "\xff\x02\x00\x00\x00\x05\x00\x00\x00\x08\x00\x00\x00\x0b\x00\x00\x00",
         152)},
    {"int64", kInt64, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xfc\xff\xff\xff\xff\xff\xff"
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00"
         "\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x00\x00\x00\x00",
         176)},
    {"uint8", kUInt8, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x01\x04\x07\x0a\x0d\x10",
         134)},
    {"uint16", kUInt16, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x01\x00\x04\x00\x07\x00\x0a"
         "\x00\x0d\x00\x10\x00",
         140)},
    {"uint32", kUInt32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x01\x00\x00\x00\x04\x00\x00"
         "\x00\x07\x00\x00\x00\x0a\x00\x00\x00\x0d\x00\x00\x00\x10\x00\x00\x00",
         152)},
    {"uint64", kUInt64, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<u8', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x01\x00\x00\x00\x00\x00\x00"
         "\x00\x04\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00"
         "\x00\x00\x00\x00\x0d\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00",
         176)},
    {"float16", kFloat16, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x00\xbc\x00\xb4\x00"
         "8\x00="
         "\x00@\x80"
         "A",
         140)},
    {"float32", kFloat32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x00\x00\x80\xbf\x00\x00\x80"
         "\xbe\x00\x00\x00\x3f\x00\x00\xa0\x3f\x00\x00\x00@\x00\x00"
         "0@",
         152)},
    {"float64", kFloat64, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x00\x00\x00\x00\x00\x00\xf0"
         "\xbf\x00\x00\x00\x00\x00\x00\xd0\xbf\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00"
         "\x00\x00\xf4\x3f\x00\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x06@",
         176)},
    {"scalar", kFloat32, Shape{},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (), }         "
         "                                                     \x0a\x00\x00\x80\xbf",
         132)},
    {"vector", kFloat32, Shape{5},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }       "
         "                                                     \x0a\x00\x00\x80\xbf\x00\x00\x80"
         "\xbe\x00\x00\x00\x3f\x00\x00\xa0\x3f\x00\x00\x00@",
         148)},
    {"empty", kFloat32, Shape{0, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }     "
         "                                                     \x0a",
         128)},
    {"rank8", kFloat32, Shape{1, 2, 1, 2, 1, 2, 1, 2},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1, 2, 1"
         ", 2, 1, 2), }                                        \x0a\x00\x00\x80\xbf\x00\x00\x80"
         "\xbe\x00\x00\x00\x3f\x00\x00\xa0\x3f\x00\x00\x00@\x00\x00"
         "0@\x00\x00`@\x00\x00\x88@"
         "\x00\x00\xa0@\x00\x00\xb8@\x00\x00\xd0@\x00\x00\xe8@\x00\x00\x00"
         "A\x00\x00\x0c"
         "A\x00"
         "\x00\x18"
         "A\x00\x00$A",
         192)},
}};

// The other forms that are read.
inline const std::array<NumpyFile, 11> kOtherNumpyFiles{{
    {"big_int16", kInt16, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xff\xfc\xff\xff\x00\x02\x00"
         "\x05\x00\x08\x00\x0b",
         140)},
    {"big_uint32", kUInt32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>u4', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\x00\x00\x00\x01\x00\x00\x00"
         "\x04\x00\x00\x00\x07\x00\x00\x00\x0a\x00\x00\x00\x0d\x00\x00\x00\x10",
         152)},
    {"big_int64", kInt64, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>i8', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xff\xff\xff\xff\xff\xff\xff"
         "\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"
         "\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x0b",
         176)},
    {"big_float16", kFloat16, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xbc\x00\xb4\x00"
         "8\x00=\x00@"
         "\x00"
         "A\x80",
         140)},
    {"big_float32", kFloat32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xbf\x80\x00\x00\xbe\x80\x00"
         "\x00\x3f\x00\x00\x00\x3f\xa0\x00\x00@\x00\x00\x00@0\x00\x00",
         152)},
    {"big_float64", kFloat64, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }     "
         "                                                     \x0a\xbf\xf0\x00\x00\x00\x00\x00"
         "\x00\xbf\xd0\x00\x00\x00\x00\x00\x00\x3f\xe0\x00\x00\x00\x00\x00\x00\x3f\xf4\x00\x00"
         "\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x00@\x06\x00\x00\x00\x00\x00\x00",
         176)},
    {"fortran", kFloat32, Shape{2, 3, 4},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }   "
         "                                                     \x0a\x00\x00\x80\xbf\x00\x00\x00"
         "A\x00\x00\x00@\x00\x00"
         "0A\x00\x00\xa0@\x00\x00`A\x00\x00\x80\xbe\x00\x00\x0c"
         "A\x00"
         "\x00"
         "0@\x00\x00<A\x00\x00\xb8@\x00\x00lA\x00\x00\x00\x3f\x00\x00\x18"
         "A\x00\x00`@\x00"
         "\x00HA\x00\x00\xd0@\x00\x00xA\x00\x00\xa0\x3f\x00\x00$A\x00\x00\x88@\x00\x00TA\x00\x00"
         "\xe8@\x00\x00\x82"
         "A",
         224)},
    {"fortran_matrix", kInt16, Shape{3, 5},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': True, 'shape': (3, 5), }      "
         "                                                     \x0a\xfc\xff\x0b\x00\x1a\x00\xff"
         "\xff\x0e\x00\x1d\x00\x02\x00\x11\x00 \x00\x05\x00\x14\x00#\x00\x08\x00\x17\x00&\x00",
         158)},
    {"fortran_big", kFloat64, Shape{2, 3, 4},
     std::string_view(
         "\x93NUMPY\x01\x00v\x00{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3, 4), }   "
         "                                                     \x0a\xbf\xf0\x00\x00\x00\x00\x00"
         "\x00@ \x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x00@&\x00\x00\x00\x00\x00\x00@"
         "\x14\x00\x00\x00\x00\x00\x00@,\x00\x00\x00\x00\x00\x00\xbf\xd0\x00\x00\x00\x00\x00\x00"
         "@!\x80\x00\x00\x00\x00\x00@\x06\x00\x00\x00\x00\x00\x00@'\x80\x00\x00\x00\x00\x00@\x17"
         "\x00\x00\x00\x00\x00\x00@-\x80\x00\x00\x00\x00\x00\x3f\xe0\x00\x00\x00\x00\x00\x00@#"
         "\x00\x00\x00\x00\x00\x00@\x0c\x00\x00\x00\x00\x00\x00@)\x00\x00\x00\x00\x00\x00@\x1a"
         "\x00\x00\x00\x00\x00\x00@/\x00\x00\x00\x00\x00\x00\x3f\xf4\x00\x00\x00\x00\x00\x00@$"
         "\x80\x00\x00\x00\x00\x00@\x11\x00\x00\x00\x00\x00\x00@*\x80\x00\x00\x00\x00\x00@\x1d"
         "\x00\x00\x00\x00\x00\x00@0@\x00\x00\x00\x00\x00",
         320)},
    {"version2", kInt32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x02\x00t\x00\x00\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)"
         ", }                                                        \x0a\xfc\xff\xff\xff\xff"
         "\xff\xff\xff\x02\x00\x00\x00\x05\x00\x00\x00\x08\x00\x00\x00\x0b\x00\x00\x00",
         152)},
    {"version3", kInt32, Shape{2, 3},
     std::string_view(
         "\x93NUMPY\x03\x00t\x00\x00\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)"
         ", }                                                        \x0a\xfc\xff\xff\xff\xff"
         "\xff\xff\xff\x02\x00\x00\x00\x05\x00\x00\x00\x08\x00\x00\x00\x0b\x00\x00\x00",
         152)},
}};

}  // namespace loci::io_test
