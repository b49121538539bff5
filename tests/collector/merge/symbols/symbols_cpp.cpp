// Functions whose names, lines and addresses the symbolizer's test knows.
namespace {
volatile int cpp_sink = 0;
}

namespace physics {

template <class T>
struct Grid {
  T value;
  __attribute__((noinline)) T relax(int n);
  __attribute__((noinline)) static void reset(T* p);
};

template <class T>
T Grid<T>::relax(int n) {
  for (int i = 0; i < n; ++i) cpp_sink = cpp_sink + i;
  return value;
}

template <class T>
void Grid<T>::reset(T* p) {
  *p = T{};
  cpp_sink = 0;
}

namespace {
__attribute__((noinline)) int file_local(int a) {
  for (int i = 0; i < a; ++i) cpp_sink = cpp_sink + a;
  return cpp_sink;
}
}  // namespace

namespace {
inline __attribute__((always_inline)) void only_inlined(int a) {
  for (int i = 0; i < a; ++i) cpp_sink = cpp_sink ^ i;
}
}  // namespace

// Inlined in one place, called in another.
static void both_ways(int a) {
  for (int i = 0; i < a; ++i) cpp_sink = cpp_sink * a;
}
void (*volatile called)(int) = both_ways;

void inlines(int a) {
  only_inlined(a);
  both_ways(a + 1);
  called(a);
}

template struct Grid<double>;

int driver(int a) {
  const auto inner = [a](int b) __attribute__((noinline)) {
    cpp_sink = cpp_sink + a;
    return cpp_sink + b;
  };
  return file_local(a) + inner(a);
}

}  // namespace physics
