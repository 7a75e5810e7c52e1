/* Sets the wall clock of one program: preloaded, it adds the microseconds in the file CLOCK_SHIM to what the clock says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long none;
static volatile long long *ahead = &none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CLOCK_SHIM");
  if (!path) return;
  int file = open(path, O_RDWR);
  if (file < 0) abort();
  void *mapped = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  ahead = mapped;
}

static long long wall(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000 + *ahead;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  long long micros = wall();
  now->tv_sec = micros / 1000000;
  now->tv_usec = micros % 1000000;
  return 0;
}

time_t time(time_t *now) {
  time_t seconds = wall() / 1000000;
  if (now) *now = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, now);
  long long micros = wall();
  now->tv_sec = micros / 1000000;
  now->tv_nsec = (micros % 1000000) * 1000;
  return 0;
}
