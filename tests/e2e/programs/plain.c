/* No MPI. */
#include <stdio.h>

int main(int argc, char** argv) {
  printf("plain program %s\n", argc > 1 ? argv[1] : "");
  return 5;
}
