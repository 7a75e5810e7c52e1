/* Preloaded into redis-server: adds an offset, in microseconds, from a mapped file to what it takes for the wall clock. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long none;
static volatile long long *offset = &none;

__attribute__((constructor)) static void map_offset(void) {
  const char *file = getenv("CLOCK_SHIM");
  if (!file) return;
  int fd = open(file, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 8)) return;
  void *mapped = mmap(0, 8, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) offset = mapped;
}

static long long microseconds(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
  return t.tv_sec * 1000000LL + t.tv_nsec / 1000 + *offset;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  (void)zone;
  long long now = microseconds();
  tv->tv_sec = now / 1000000;
  tv->tv_usec = now % 1000000;
  return 0;
}

time_t time(time_t *result) {
  time_t seconds = microseconds() / 1000000;
  if (result) *result = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, t);
  long long now = microseconds();
  t->tv_sec = now / 1000000;
  t->tv_nsec = now % 1000000 * 1000;
  return 0;
}
