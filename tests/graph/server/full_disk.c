/* Preloaded into Postgres: while the file that FULL_DISK names exists, what grows or writes a file finds no space. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int full(void) {
    const char *flag = getenv("FULL_DISK");
    return flag && access(flag, F_OK) == 0;
}

#define OR_FULL(type, name, failed, declared, passed)            \
    type name declared {                                         \
        static type (*real) declared;                            \
        if (!real) real = (type(*) declared)dlsym(RTLD_NEXT, #name); \
        if (full()) return failed;                               \
        return real passed;                                      \
    }

#define NO_SPACE (errno = ENOSPC, -1)

OR_FULL(ssize_t, pwrite, NO_SPACE, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
OR_FULL(ssize_t, pwrite64, NO_SPACE, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
OR_FULL(ssize_t, pwritev, NO_SPACE, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at))
OR_FULL(ssize_t, pwritev64, NO_SPACE, (int fd, const struct iovec *from, int n, off64_t at), (fd, from, n, at))
OR_FULL(int, posix_fallocate, ENOSPC, (int fd, off_t at, off_t n), (fd, at, n))
OR_FULL(int, posix_fallocate64, ENOSPC, (int fd, off64_t at, off64_t n), (fd, at, n))
