/* scalediag-rank: the program that the MPI launcher starts in place of the application, once a rank. It loads the
 * collector into the application and no other program: the launcher itself is not changed.
 *
 *   scalediag-rank --library FILE --directory DIR --stamp TEXT --rate HZ --sampler NAME [--events LIST --period N]
 *                  [--call-paths BYTES] [--gpu none|events|activity] [--trace yes | --emulation MEMORY]
 *                  [--rank-files RANKS] [--scratch DIR] [--rounds REQUEST] -- APP ARGS...
 *
 * REQUEST is a RoundsRequest (core/raw/rounds_request.h).
 *
 *   scalediag-rank --library FILE --directory DIR (--record LIST [--max-log BYTES] [--node RANKS] [--log-system yes] |
 *                  --replay RANK --output DIR [--cover SCRATCH --keep DIR] [--node FOLDER]) -- APP ARGS...
 *
 * with the library that records messages, of the ranks of LIST or of "all", or answers those of RANK; what the
 * application writes into its working directory then goes into SCRATCH, where one is named. With --node the messages
 * between so many ranks of a node are not recorded, or those of the replay meet in a folder; with --log-system the log
 * also has what the system told about time, machine and chance.
 *
 * Settings travel as arguments because launchers differ in which environment variables they pass on.
 *
 * A replay that is profiled is started as any profiled run, with these settings in the environment instead:
 * SCALEDIAG_ALSO_PRELOAD (the library that answers MPI), SCALEDIAG_LOGS (the folder of the logs), SCALEDIAG_REPLAY,
 * SCALEDIAG_RESULTS, SCALEDIAG_NODE, SCALEDIAG_COVER and SCALEDIAG_KEEP.
 *
 *   scalediag-rank --library FILE --probe world -- APP ARGS...
 *
 * starts the application up to MPI_Init, as probe.h tells.
 *
 * In the pass that simulates counters
 *
 *   scalediag-rank --library FILE --simulate RANKS --output DIR [--count-calls N] --valgrind FILE
 *                  [--valgrind-option OPTION]... -- APP ARGS...
 *
 * starts the ranks of RANKS ("0,3,7") under valgrind's callgrind and the others as they are, without the library. With
 * --count-calls they also record events, with the instructions before the first N calls of MPI.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static void set(const char* name, const char* value) {
  if (setenv(name, value, 1) != 0) {
    perror("scalediag-rank: setenv");
    exit(126);
  }
}

/* "a:b" */
static char* joined(const char* first, const char* second) {
  const size_t bytes = strlen(first) + strlen(second) + 2;
  char* both = malloc(bytes);
  if (both == NULL) {
    perror("scalediag-rank: malloc");
    exit(126);
  }
  snprintf(both, bytes, "%s:%s", first, second);
  return both;
}

/* Puts the library before what the user preloads, and keeps that for programs the application starts. In a replay that
 * is profiled the library that answers MPI stands between the two. */
static void preload(const char* library) {
  const char* user = getenv("LD_PRELOAD");
  const char* also = getenv("SCALEDIAG_ALSO_PRELOAD");
  if (also != NULL) {
    library = joined(library, also);
    unsetenv("SCALEDIAG_ALSO_PRELOAD");
  }
  if (user == NULL || *user == '\0') {
    set("LD_PRELOAD", library);
    return;
  }
  set("SCALEDIAG_USER_PRELOAD", user);
  set("LD_PRELOAD", joined(library, user));
}

/* Kokkos and NVTX load the libraries that these name: ours listens to the regions that they name. */
static void listen_to_regions(const char* library) {
  static const char* const names[] = {"KOKKOS_TOOLS_LIBS", "NVTX_INJECTION64_PATH"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (getenv(names[i]) == NULL) set(names[i], library);
  }
}

/* The number of this rank from the launcher: Open MPI and PRRTE, MPICH and PMI-1/2, PMIx, Slurm; -1 without one. */
static long rank_of_launcher(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "ALPS_APP_PE", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* text = getenv(names[i]);
    if (text == NULL || *text == '\0') continue;
    char* end = NULL;
    const long rank = strtol(text, &end, 10);
    if (*end == '\0' && rank >= 0) return rank;
  }
  return -1;
}

static int contains(const char* list, long rank) {
  while (*list != '\0') {
    char* end = NULL;
    if (strtol(list, &end, 10) == rank && end != list) return 1;
    list = *end == ',' ? end + 1 : "";
  }
  return 0;
}

/* "--NAME=DIR/rank000003.<suffix>"; a % of the folder's name is doubled, since valgrind would interpret it as it does
 * those of the suffix. */
static char* rank_file_option(const char* name, const char* folder, long rank, const char* suffix) {
  const size_t bytes = strlen(name) + 2 * strlen(folder) + strlen(suffix) + 64;
  char* text = malloc(bytes);
  if (text == NULL) {
    perror("scalediag-rank: malloc");
    exit(126);
  }
  char* to = text + sprintf(text, "--%s=", name);
  for (; *folder != '\0'; ++folder) {
    *to++ = *folder;
    if (*folder == '%') *to++ = '%';
  }
  snprintf(to, bytes - (size_t)(to - text), "/rank%06ld.%s", rank, suffix);
  return text;
}

static int exec_or_complain(char** command) {
  execvp(command[0], command);
  fprintf(stderr, "scalediag-rank: %s: %s\n", command[0], strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

/* `counted_calls`: the calls of MPI before which instructions are counted, NULL where no events are recorded. */
static int simulate(const char* library, const char* ranks, const char* output, const char* counted_calls,
                    char* valgrind, char** options, int n_options, char** application, int n_words) {
  const long rank = rank_of_launcher();
  if (rank < 0) {
    fprintf(stderr,
            "scalediag-rank: the launcher does not tell a process its rank (OMPI_COMM_WORLD_RANK, PMI_RANK, "
            "PMIX_RANK or SLURM_PROCID)\n");
    return 126;
  }
  if (!contains(ranks, rank)) {
    /* Where ranks share cores, those that wait for the simulated ones would take most of the time from them. Not the
       lowest priority: the simulated ranks wait for these as well. The pass's times are not used. */
    if (nice(10) == -1) errno = 0;
    return exec_or_complain(application);
  }
  preload(library);
  set("SCALEDIAG_SIMULATE", "1");
  if (counted_calls != NULL) {
    set("SCALEDIAG_COUNTED_FOLDER", output);
    set("SCALEDIAG_COUNTED_CALLS", counted_calls);
  }
  char** command = calloc((size_t)(n_options + n_words) + 4, sizeof *command);
  if (command == NULL) {
    perror("scalediag-rank: calloc");
    return 126;
  }
  int n = 0;
  command[n++] = valgrind;
  for (int i = 0; i < n_options; ++i) command[n++] = options[i];
  /* %p, the process, because processes that the application forks write files too. */
  command[n++] = rank_file_option("callgrind-out-file", output, rank, "%p.callgrind");
  command[n++] = rank_file_option("log-file", output, rank, "%p.valgrind.log");
  for (int i = 0; i < n_words; ++i) command[n++] = application[i];
  return exec_or_complain(command);
}

static int write_to(const char* file, const char* text) {
  const int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = write(fd, text, strlen(text));
  close(fd);
  return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Lays a folder over the working directory, in a name space of this process: files that are written there go into
 * `scratch`, and those of the working directory stay as they are. `kept` is a folder for which this does not hold.
 * Returns what could not be done, with errno; NULL when all is done. */
static const char* cover_working_directory(const char* scratch, const char* kept) {
  char here[PATH_MAX], text[3 * PATH_MAX + 64], folder[PATH_MAX + 16];
  if (getcwd(here, sizeof here) == NULL) return "the working directory";
  /* These separate the options of an overlay. */
  if (strpbrk(here, ":,\\") != NULL || strpbrk(scratch, ":,\\") != NULL) {
    errno = EINVAL;
    return "a path with a comma, a colon or a backslash";
  }
  const unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "a user name space";
  /* Kernels without the first file ask for no such thing. */
  if (write_to("/proc/self/setgroups", "deny") != 0 && errno != ENOENT) return "/proc/self/setgroups";
  snprintf(text, sizeof text, "%u %u 1", user, user);
  if (write_to("/proc/self/uid_map", text) != 0) return "/proc/self/uid_map";
  snprintf(text, sizeof text, "%u %u 1", group, group);
  if (write_to("/proc/self/gid_map", text) != 0) return "/proc/self/gid_map";
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return "a private root";
  /* Of this name space, and not yet covered. */
  const int kept_fd = open(kept, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (kept_fd < 0) return "the folder of the results";
  static const char* const parts[] = {"upper", "work"};
  for (size_t i = 0; i < 2; ++i) {
    snprintf(folder, sizeof folder, "%s/%s", scratch, parts[i]);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return "the folder of what is written";
  }
  snprintf(text, sizeof text, "userxattr,lowerdir=%s,upperdir=%s/upper,workdir=%s/work", here, scratch, scratch);
  if (mount("overlay", here, "overlay", 0, text) != 0) return "an overlay";
  snprintf(folder, sizeof folder, "/proc/self/fd/%d", kept_fd);
  if (mount(folder, kept, NULL, MS_BIND | MS_REC, NULL) != 0) return "the folder of the results";
  return chdir(here) == 0 ? NULL : "the working directory";
}

int main(int argc, char** argv) {
  const char* library = NULL;
  const char* scratch = NULL;
  const char* kept = NULL;
  const char* ranks = NULL;
  const char* output = NULL;
  const char* counted_calls = NULL;
  char* valgrind = NULL;
  int n_options = 0;
  char** options = calloc((size_t)argc + 1, sizeof *options);
  if (options == NULL) {
    perror("scalediag-rank: calloc");
    return 126;
  }
  int i = 1;
  for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
    if (strcmp(argv[i], "--library") == 0) {
      library = argv[i + 1];
    } else if (strcmp(argv[i], "--directory") == 0) {
      set("SCALEDIAG_DIRECTORY", argv[i + 1]);
    } else if (strcmp(argv[i], "--probe") == 0) {
      set("SCALEDIAG_PROBE_WORLD", argv[i + 1]);
    } else if (strcmp(argv[i], "--stamp") == 0) {
      set("SCALEDIAG_STAMP", argv[i + 1]);
    } else if (strcmp(argv[i], "--rate") == 0) {
      set("SCALEDIAG_RATE_HZ", argv[i + 1]);
    } else if (strcmp(argv[i], "--sampler") == 0) {
      set("SCALEDIAG_SAMPLER", argv[i + 1]);
    } else if (strcmp(argv[i], "--events") == 0) {
      set("SCALEDIAG_EVENTS", argv[i + 1]);
    } else if (strcmp(argv[i], "--period") == 0) {
      set("SCALEDIAG_PERIOD", argv[i + 1]);
    } else if (strcmp(argv[i], "--call-paths") == 0) {
      set("SCALEDIAG_CALL_PATHS", argv[i + 1]);
    } else if (strcmp(argv[i], "--gpu") == 0) {
      set("SCALEDIAG_GPU", argv[i + 1]);
    } else if (strcmp(argv[i], "--rounds") == 0) {
      set("SCALEDIAG_ROUNDS", argv[i + 1]);
    } else if (strcmp(argv[i], "--trace") == 0) {
      set("SCALEDIAG_TRACE", argv[i + 1]);
    } else if (strcmp(argv[i], "--rank-files") == 0) {
      set("SCALEDIAG_RANK_FILES", argv[i + 1]);
    } else if (strcmp(argv[i], "--scratch") == 0) {
      set("SCALEDIAG_SCRATCH", argv[i + 1]);
    } else if (strcmp(argv[i], "--emulation") == 0) {
      set("SCALEDIAG_EMULATION", argv[i + 1]);
    } else if (strcmp(argv[i], "--record") == 0) {
      set("SCALEDIAG_RECORD", argv[i + 1]);
    } else if (strcmp(argv[i], "--max-log") == 0) {
      set("SCALEDIAG_MAX_LOG", argv[i + 1]);
    } else if (strcmp(argv[i], "--replay") == 0) {
      set("SCALEDIAG_REPLAY", argv[i + 1]);
    } else if (strcmp(argv[i], "--log-system") == 0) {
      set("SCALEDIAG_LOG_SYSTEM", argv[i + 1]);
    } else if (strcmp(argv[i], "--node") == 0) {
      set("SCALEDIAG_NODE", argv[i + 1]);
    } else if (strcmp(argv[i], "--cover") == 0) {
      scratch = argv[i + 1];
    } else if (strcmp(argv[i], "--keep") == 0) {
      kept = argv[i + 1];
    } else if (strcmp(argv[i], "--simulate") == 0) {
      ranks = argv[i + 1];
    } else if (strcmp(argv[i], "--output") == 0) {
      output = argv[i + 1];
    } else if (strcmp(argv[i], "--count-calls") == 0) {
      counted_calls = argv[i + 1];
    } else if (strcmp(argv[i], "--valgrind") == 0) {
      valgrind = argv[i + 1];
    } else if (strcmp(argv[i], "--valgrind-option") == 0) {
      options[n_options++] = argv[i + 1];
    } else {
      fprintf(stderr, "scalediag-rank: unknown option '%s'\n", argv[i]);
      return 126;
    }
  }
  if (i + 1 >= argc || strcmp(argv[i], "--") != 0 || library == NULL) {
    fprintf(stderr, "usage: scalediag-rank --library FILE [--directory DIR --rate HZ --sampler NAME] -- APP ARGS...\n");
    return 126;
  }
  if (scratch == NULL) scratch = getenv("SCALEDIAG_COVER");
  if (kept == NULL) kept = getenv("SCALEDIAG_KEEP");
  if (scratch != NULL && kept != NULL) {
    const char* failed = cover_working_directory(scratch, kept);
    if (failed != NULL) {
      fprintf(stderr, "scalediag-rank: the working directory cannot be covered: %s: %s\n", failed, strerror(errno));
      return 126;
    }
    unsetenv("SCALEDIAG_COVER");
    unsetenv("SCALEDIAG_KEEP");
  }
  if (ranks != NULL) {
    if (output == NULL || valgrind == NULL) {
      fprintf(stderr, "scalediag-rank: --simulate needs --output and --valgrind\n");
      return 126;
    }
    return simulate(library, ranks, output, counted_calls, valgrind, options, n_options, argv + i + 1, argc - i - 1);
  }
  if (output != NULL) set("SCALEDIAG_RESULTS", output);
  preload(library);
  if (ranks == NULL && getenv("SCALEDIAG_RECORD") == NULL && getenv("SCALEDIAG_REPLAY") == NULL) {
    listen_to_regions(library);
  }
  return exec_or_complain(argv + i + 1);
}
