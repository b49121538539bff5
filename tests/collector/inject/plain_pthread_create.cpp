#include "tests/collector/inject/plain_pthread_create.h"

#include "collector/inject/real_pthread_create.h"

namespace scalediag::inject {

int thread_error = 0;

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  return thread_error != 0 ? thread_error : pthread_create(thread, attributes, start, argument);
}

}  // namespace scalediag::inject
