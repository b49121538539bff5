/* Names parts of a program for scalediag, in C and C++. Header only: nothing is linked, and without scalediag every
 * call is a test of a pointer.
 *
 *   SCALEDIAG_BEGIN("solve");                 enters a region; regions may lie in one another
 *   SCALEDIAG_PARAMETER("rows", n_rows);      a number for the innermost region: what its time may depend on
 *   SCALEDIAG_END("solve");                   leaves it
 *
 * Times are those of the calling thread's way through the region; a region of the thread that called MPI_Init also has
 * the CPU time of all threads. Names are copied when they are first seen; 160 bytes of them count.
 */
#ifndef SCALEDIAG_REGION_H
#define SCALEDIAG_REGION_H

#if !defined(__GNUC__)
#define SCALEDIAG_BEGIN(name) ((void)0)
#define SCALEDIAG_END(name) ((void)0)
#define SCALEDIAG_PARAMETER(name, value) ((void)0)
#else

/* The address of a function of scalediag's library where that is loaded, else null. On these processors it is read from
 * the table that the loader fills in: a weak reference would be null for good in programs that are linked with -no-pie.
 */
#if defined(__x86_64__) && !defined(__ILP32__)
#define SCALEDIAG_ADDRESS_OF(symbol, address) \
  __asm__(".weak " #symbol "\n\tmovq " #symbol "@GOTPCREL(%%rip), %0" : "=r"(address))
#elif defined(__aarch64__)
#define SCALEDIAG_ADDRESS_OF(symbol, address) \
  __asm__(".weak " #symbol "\n\tadrp %0, :got:" #symbol "\n\tldr %0, [%0, #:got_lo12:" #symbol "]" : "=r"(address))
#else
#ifdef __cplusplus
extern "C" {
#endif
extern void scalediag_region_begin(const char* name) __attribute__((weak));
extern void scalediag_region_end(const char* name) __attribute__((weak));
extern void scalediag_region_parameter(const char* name, double value) __attribute__((weak));
#ifdef __cplusplus
}
#endif
#define SCALEDIAG_ADDRESS_OF(symbol, address) ((address) = symbol)
#endif

static inline __attribute__((unused)) void scalediag_header_begin(const char* name) {
  void (*begin)(const char*);
  SCALEDIAG_ADDRESS_OF(scalediag_region_begin, begin);
  if (begin) begin(name);
}
static inline __attribute__((unused)) void scalediag_header_end(const char* name) {
  void (*end)(const char*);
  SCALEDIAG_ADDRESS_OF(scalediag_region_end, end);
  if (end) end(name);
}
static inline __attribute__((unused)) void scalediag_header_parameter(const char* name, double value) {
  void (*parameter)(const char*, double);
  SCALEDIAG_ADDRESS_OF(scalediag_region_parameter, parameter);
  if (parameter) parameter(name, value);
}

#define SCALEDIAG_BEGIN(name) scalediag_header_begin(name)
#define SCALEDIAG_END(name) scalediag_header_end(name)
#define SCALEDIAG_PARAMETER(name, value) scalediag_header_parameter((name), (double)(value))

#endif
#endif
