/* A library that a user preloads. */
int preloaded_answer(void);

int preloaded_answer(void) { return 42; }
