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

#ifdef __cplusplus
extern "C" {
#endif
/* Defined by scalediag's library where it is loaded, else null. */
extern void scalediag_region_begin(const char* name) __attribute__((weak));
extern void scalediag_region_end(const char* name) __attribute__((weak));
extern void scalediag_region_parameter(const char* name, double value) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define SCALEDIAG_BEGIN(name) (scalediag_region_begin ? scalediag_region_begin(name) : (void)0)
#define SCALEDIAG_END(name) (scalediag_region_end ? scalediag_region_end(name) : (void)0)
#define SCALEDIAG_PARAMETER(name, value) \
  (scalediag_region_parameter ? scalediag_region_parameter(name, (double)(value)) : (void)0)

#endif
#endif
