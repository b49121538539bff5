/* scalediag-rank: what the MPI launcher starts in place of the application, once a rank. It loads the collector
 * into the application and no other program: the launcher itself stays as it is.
 *
 *   scalediag-rank --library FILE --directory DIR --rate HZ --sampler NAME -- APP ARGS...
 *
 * Settings travel as arguments because launchers differ in which environment variables they pass on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0) {
    perror("scalediag-rank: setenv");
    exit(126);
  }
}

/* Puts the library before what the user preloads, and keeps that for programs the application starts. */
static void preload(const char* library) {
  const char* user = getenv("LD_PRELOAD");
  if (user == NULL || *user == '\0') {
    set("LD_PRELOAD", library);
    return;
  }
  set("SCALEDIAG_USER_PRELOAD", user);
  const size_t bytes = strlen(library) + strlen(user) + 2;
  char* both = malloc(bytes);
  if (both == NULL) {
    perror("scalediag-rank: malloc");
    exit(126);
  }
  snprintf(both, bytes, "%s:%s", library, user);
  set("LD_PRELOAD", both);
  free(both);
}

int main(int argc, char** argv) {
  const char* library = NULL;
  int i = 1;
  for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
    if (strcmp(argv[i], "--library") == 0) {
      library = argv[i + 1];
    } else if (strcmp(argv[i], "--directory") == 0) {
      set("SCALEDIAG_DIRECTORY", argv[i + 1]);
    } else if (strcmp(argv[i], "--rate") == 0) {
      set("SCALEDIAG_RATE_HZ", argv[i + 1]);
    } else if (strcmp(argv[i], "--sampler") == 0) {
      set("SCALEDIAG_SAMPLER", argv[i + 1]);
    } else {
      fprintf(stderr, "scalediag-rank: unknown option '%s'\n", argv[i]);
      return 126;
    }
  }
  if (i + 1 >= argc || strcmp(argv[i], "--") != 0 || library == NULL) {
    fprintf(stderr, "usage: scalediag-rank --library FILE [--directory DIR --rate HZ --sampler NAME] -- APP ARGS...\n");
    return 126;
  }
  preload(library);
  execvp(argv[i + 1], argv + i + 1);
  fprintf(stderr, "scalediag-rank: %s: %s\n", argv[i + 1], strerror(errno));
  return errno == ENOENT ? 127 : 126;
}
