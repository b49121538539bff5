// The functions of gpu_functions.def as a table.
#pragma once

#include <cstddef>

#include "core/raw/gpu_functions.h"

namespace scalediag::inject::gpu {

struct Function {
  const char* name;
  raw::GpuCallKind kind;
};

inline constexpr Function kFunctionTable[] = {
#define SCALEDIAG_GPU(name, kind, bytes, detail, parameters, arguments) {#name, raw::GpuCallKind::kind},
#include "core/raw/gpu_functions.def"
#undef SCALEDIAG_GPU
};
inline constexpr size_t kFunctions = sizeof(kFunctionTable) / sizeof(Function);

}  // namespace scalediag::inject::gpu
