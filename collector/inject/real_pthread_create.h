// pthread_create of the C library, behind our own.
#pragma once

#include <pthread.h>

namespace scalediag::inject {

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument);

}  // namespace scalediag::inject
