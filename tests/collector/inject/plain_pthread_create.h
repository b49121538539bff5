#pragma once

namespace scalediag::inject {

// The errno with which real_pthread_create refuses; 0: it makes threads.
extern int thread_error;

}  // namespace scalediag::inject
