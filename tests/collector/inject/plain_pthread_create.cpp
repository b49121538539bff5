#include "collector/inject/engine.h"

namespace scalediag::inject {

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  return pthread_create(thread, attributes, start, argument);
}

}  // namespace scalediag::inject
