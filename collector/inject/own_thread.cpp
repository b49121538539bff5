#include "collector/inject/own_thread.h"

#include <signal.h>

#include <ctime>

#include "collector/inject/real_pthread_create.h"

namespace scalediag::inject {

int OwnThread::start(void* (*work)(void*), void* argument) {
  // The application's signals are handled by the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  int e = real_pthread_create(&thread_, &attributes, work, argument);
  // A program with much thread-local data needs a larger stack than the one that was tried.
  if (e != 0) e = real_pthread_create(&thread_, nullptr, work, argument);
  runs_ = e == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return e;
}

bool OwnThread::join(int patience_s) {
  if (!runs_) return true;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += patience_s;
  if (pthread_timedjoin_np(thread_, nullptr, &until) != 0) return false;
  runs_ = false;
  return true;
}

}  // namespace scalediag::inject
