#include "collector/inject/sampling/python_frames.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "pmpi-comm/loaded_module.h"

namespace scalediag::inject::python {
namespace {

// Where the interpreter keeps what is read, in bytes, on machines with pointers of 64 bits.
struct Layout {
  int minor;              // of CPython 3
  int64_t cframe_at;      // in the thread's state; -1: there is none, and the frame is in the state itself
  int64_t frame_at;       // in the former
  int64_t code_at;        // in a frame
  int64_t first_line_at;  // in a code object
  int64_t text_at;        // of an ASCII string's characters
};
constexpr Layout kLayouts[] = {{11, 56, 8, 32, 72, 48}, {12, 56, 0, 0, 68, 40}, {13, -1, 72, 0, 68, 40}};
constexpr size_t kFileAt = 112, kNameAt = 128, kCodeBytes = 136;  // in a code object
constexpr size_t kTypeAt = 8, kLengthAt = 16, kStateAt = 32;      // in any object; in a string
constexpr uint32_t kIsAscii = 1U << 6;

using GetState = void* (*)();

const Layout* layout = nullptr;
GetState state_of_this_thread = nullptr;
uint64_t code_type = 0, string_type = 0;
pmpi::LoadedModule interpreter;
pid_t own_pid = 0;

struct Slot {
  std::atomic<uint64_t> key{0};
  std::atomic<bool> ready{false};
  bool taken = false;  // by take_new_functions()
  uint32_t line = 0;
  char name[128] = {};
  char file[256] = {};
};
constexpr uint32_t kSlots = 2048;
std::array<Slot, kSlots> slots;

bool read_memory(uint64_t address, void* to, size_t bytes) {
  iovec here{to, bytes}, there{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(own_pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

uint64_t pointer_at(uint64_t address) {
  uint64_t value = 0;
  return address != 0 && read_memory(address, &value, sizeof value) ? value : 0;
}

// Copies a Python string. False where it is none of ASCII characters.
bool copy_string(uint64_t object, char* to, size_t room, bool keep_end) {
  char head[40];
  if (!read_memory(object, head, sizeof head)) return false;
  uint64_t type = 0, length = 0;
  uint32_t state = 0;
  std::memcpy(&type, head + kTypeAt, sizeof type);
  std::memcpy(&length, head + kLengthAt, sizeof length);
  std::memcpy(&state, head + kStateAt, sizeof state);
  if (type != string_type || (state & kIsAscii) == 0) return false;
  const uint64_t kept = length < room ? length : room - 1;
  const uint64_t from = keep_end ? length - kept : 0;
  to[kept] = '\0';
  return read_memory(object + static_cast<uint64_t>(layout->text_at) + from, to, kept);
}

uint64_t code_of_this_thread() {
  const auto state = reinterpret_cast<uint64_t>(state_of_this_thread());
  if (state == 0) return 0;
  uint64_t holder = state;
  if (layout->cframe_at >= 0) holder = pointer_at(state + static_cast<uint64_t>(layout->cframe_at));
  if (holder == 0) return 0;
  const uint64_t frame = pointer_at(holder + static_cast<uint64_t>(layout->frame_at));
  return frame != 0 ? pointer_at(frame + static_cast<uint64_t>(layout->code_at)) : 0;
}

uint64_t mixed(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 29);
}

// The number of the function, kSlots where there is no more room.
uint32_t number_of(uint64_t code, const char* content) {
  uint64_t name = 0, file = 0;
  uint32_t line = 0;
  std::memcpy(&name, content + kNameAt, sizeof name);
  std::memcpy(&file, content + kFileAt, sizeof file);
  std::memcpy(&line, content + layout->first_line_at, sizeof line);
  // A code object that is freed may leave its place to another one, whose name is another string.
  const uint64_t key = mixed(code ^ mixed(name + line)) | 1;
  for (uint32_t tried = 0, at = static_cast<uint32_t>(key >> 1) % kSlots; tried < 64; ++tried, at = (at + 1) % kSlots) {
    Slot& slot = slots[at];
    uint64_t found = slot.key.load(std::memory_order_acquire);
    if (found == key) return at;
    if (found != 0 || !slot.key.compare_exchange_strong(found, key)) {
      if (found == key) return at;
      continue;
    }
    if (!copy_string(name, slot.name, sizeof slot.name, false)) std::strcpy(slot.name, "(a name that is not ASCII)");
    if (!copy_string(file, slot.file, sizeof slot.file, true)) slot.file[0] = '\0';
    slot.line = line;
    slot.ready.store(true, std::memory_order_release);
    return at;
  }
  return kSlots;
}

uint64_t symbol(const char* name) { return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, name)); }

}  // namespace

bool find_interpreter() {
  // Programs that may embed Python, as LAMMPS, have its library too.
  const auto runs = reinterpret_cast<int (*)()>(symbol("Py_IsInitialized"));
  if (runs == nullptr || runs() == 0) return false;
  const auto version = reinterpret_cast<const char* (*)()>(symbol("Py_GetVersion"));
  state_of_this_thread = reinterpret_cast<GetState>(symbol("PyGILState_GetThisThreadState"));
  code_type = symbol("PyCode_Type");
  string_type = symbol("PyUnicode_Type");
  const uint64_t evaluates = symbol("_PyEval_EvalFrameDefault");
  if (version == nullptr || state_of_this_thread == nullptr || code_type == 0 || string_type == 0 || evaluates == 0) {
    return false;
  }
  const char* const text = version();
  if (std::strncmp(text, "3.", 2) != 0) return false;
  const int minor = std::atoi(text + 2);
  own_pid = getpid();
  interpreter = pmpi::loaded_module_of(evaluates);
  uint64_t probe = 0;
  if (!read_memory(code_type, &probe, sizeof probe) || !interpreter.holds(evaluates)) return false;
  for (const Layout& known : kLayouts) {
    if (known.minor == minor) layout = &known;
  }
  return layout != nullptr;
}

bool is_found() { return layout != nullptr; }

uint64_t address_of_function(uint64_t address) {
  if (layout == nullptr || !interpreter.holds(address)) return address;
  const uint64_t code = code_of_this_thread();
  if (code == 0) return address;
  char content[kCodeBytes];
  if (!read_memory(code, content, sizeof content)) return address;
  uint64_t type = 0;
  std::memcpy(&type, content + kTypeAt, sizeof type);
  if (type != code_type) return address;
  const uint32_t number = number_of(code, content);
  return number < kSlots ? raw::kPythonAddress | number : address;
}

std::vector<raw::PythonFunction> take_new_functions() {
  std::vector<raw::PythonFunction> met;
  if (layout == nullptr) return met;
  for (uint32_t i = 0; i < kSlots; ++i) {
    Slot& slot = slots[i];
    if (slot.taken || !slot.ready.load(std::memory_order_acquire)) continue;
    slot.taken = true;
    met.push_back({i, slot.line, slot.name, slot.file});
  }
  return met;
}

}  // namespace scalediag::inject::python
