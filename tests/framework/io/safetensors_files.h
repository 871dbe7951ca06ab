// Files as the safetensors package 0.4.5 writes them.
#pragma once

#include <string_view>

namespace loci::io_test {

// A tensor [2, 3] for each dtype, under its name, with the elements that numpy_files.h describes;
// "scalar" and "empty", float32; and one, uint8 [1] with element 1, with a name that JSON escapes.
inline constexpr std::string_view kAllDTypesFile(
    "\x00\x04\x00\x00\x00\x00\x00\x00{\"uint64\":{\"dtype\":\"U64\",\"shape\":[2,3],\"data_"
    "offsets\":[0,48]},\"int64\":{\"dtype\":\"I64\",\"shape\":[2,3],\"data_offsets\":[48,96"
    "]},\"float64\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[96,144]},\"empty\""
    ":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[144,144]},\"float32\":{\"dtype\""
    ":\"F32\",\"shape\":[2,3],\"data_offsets\":[144,168]},\"scalar\":{\"dtype\":\"F32\",\"s"
    "hape\":[],\"data_offsets\":[168,172]},\"uint32\":{\"dtype\":\"U32\",\"shape\":[2,3],\""
    "data_offsets\":[172,196]},\"int32\":{\"dtype\":\"I32\",\"shape\":[2,3],\"data_offsets"
    "\":[196,220]},\"bfloat16\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[220,2"
    "32]},\"float16\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[232,244]},\"uint"
    "16\":{\"dtype\":\"U16\",\"shape\":[2,3],\"data_offsets\":[244,256]},\"int16\":{\"dtype"
    "\":\"I16\",\"shape\":[2,3],\"data_offsets\":[256,268]},\"int8\":{\"dtype\":\"I8\",\"sh"
    "ape\":[2,3],\"data_offsets\":[268,274]},\"na\xc3\xafve \\\"name\\\"\\n\":{\"dtype\":\""
    "U8\",\"shape\":[1],\"data_offsets\":[274,275]},\"uint8\":{\"dtype\":\"U8\",\"shape\":["
    "2,3],\"data_offsets\":[275,281]},\"bool\":{\"dtype\":\"BOOL\",\"shape\":[2,3],\"data_o"
    "ffsets\":[281,287]}}    \x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00"
    "\x00\x07\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00"
    "\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\xfc\xff\xff\xff\xff\xff\xff\xff\xff"
    "\xff\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00"
    "\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\xf0\xbf\x00\x00\x00\x00\x00\x00\xd0\xbf\x00\x00\x00\x00\x00\x00\xe0\x3f"
    "\x00\x00\x00\x00\x00\x00\xf4\x3f\x00\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00"
    "\x06@\x00\x00\x80\xbf\x00\x00\x80\xbe\x00\x00\x00\x3f\x00\x00\xa0\x3f\x00\x00\x00@\x00"
    "\x00"
    "0@\x00\x00\x80\xbf\x01\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00\x00\x0a\x00\x00"
    "\x00\x0d\x00\x00\x00\x10\x00\x00\x00\xfc\xff\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00"
    "\x05\x00\x00\x00\x08\x00\x00\x00\x0b\x00\x00\x00\x80\xbf\x80\xbe\x00\x3f\xa0\x3f\x00@0"
    "@\x00\xbc\x00\xb4\x00"
    "8\x00=\x00@\x80"
    "A\x01\x00\x04\x00\x07\x00\x0a\x00\x0d\x00\x10"
    "\x00\xfc\xff\xff\xff\x02\x00\x05\x00\x08\x00\x0b\x00\xfc\xff\x02\x05\x08\x0b\x01\x01"
    "\x04\x07\x0a\x0d\x10\x00\x01\x00\x01\x00\x01",
    1319);

// "w", float32 [1], with element -1, and metadata.
inline constexpr std::string_view kMetadataFile(
    "h\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"format\":\"pt\",\"note\":\"a \\\"b\\"
    "\"\"},\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  \x00\x00\x80"
    "\xbf",
    116);

}  // namespace loci::io_test
