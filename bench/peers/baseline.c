/* The baseline of the benchmark: plain C with forkpty, poll, one thread and no log.
 *
 * With LOG=FOLDER in the environment it keeps a log as Belay does: it writes everything that bulk output, echo and paste
 * print to files of 1 MiB there, keeps the newest 8, and reads the output back from them.
 *
 * Like every peer, it takes WORK CHILD WARM_MS RUN_MS SIZE and prints "NAME VALUE UNIT" lines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARALLEL 8
#define MAX_SAMPLES 2000000
#define WARM_BULK_BYTES 20000000

static const char *child;
static double warm_us, run_us;
static long long size;
static char buffer[65536];
static long long flood_bytes;
static double *samples;
static int count;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void keep(double value) {
    if (count < MAX_SAMPLES) samples[count++] = value;
}

static void print_latency(const char *work) {
    qsort(samples, count, sizeof *samples, ascending);
    printf("%s.p50 %.2f us\n", work, samples[count / 2]);
    printf("%s.p99 %.2f us\n", work, samples[(int)(count * 0.99)]);
}

struct session { pid_t pid; int fd; };

static struct session start(char *const argv[], int pty) {
    struct session s;
    int ends[2];
    struct winsize window = {24, 80, 0, 0};
    if (!pty && pipe2(ends, O_CLOEXEC) < 0) die("pipe2");
    s.pid = pty ? forkpty(&s.fd, NULL, NULL, &window) : fork();
    if (s.pid < 0) die("fork");
    if (s.pid == 0) {
        if (!pty) dup2(ends[1], 1);
        execv(argv[0], argv);
        _exit(127);
    }
    if (!pty) {
        close(ends[1]);
        s.fd = ends[0];
    }
    fcntl(s.fd, F_SETFD, FD_CLOEXEC);
    fcntl(s.fd, F_SETFL, O_NONBLOCK);
    return s;
}

#define SEGMENT (1 << 20)
#define SEGMENTS 8

static const char *log_folder;
static int log_fd = -1;
static long long log_end;

static void segment_name(char *name, size_t bytes, long long number) {
    snprintf(name, bytes, "%s/c.%d.%lld", log_folder, (int)getpid(), number);
}

static void delete_log(void) {
    char name[512];
    for (long long i = log_end / SEGMENT; log_folder && i >= 0 && i >= log_end / SEGMENT - SEGMENTS; i--) {
        segment_name(name, sizeof name, i);
        unlink(name);
    }
}

/* Appends the buffer to the log and reads it back. */
static void keep_log(size_t got) {
    for (size_t at = 0; log_folder && at < got;) {
        long long number = log_end / SEGMENT;
        if (log_fd < 0 || log_end % SEGMENT == 0) {
            char name[512], old[512];
            if (log_fd >= 0) close(log_fd);
            segment_name(name, sizeof name, number);
            segment_name(old, sizeof old, number - SEGMENTS);
            /* Reuses the oldest file, as Belay does. */
            if (number >= SEGMENTS && rename(old, name) < 0) die("rename");
            log_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            if (log_fd < 0) die(name);
        }
        size_t room = SEGMENT - log_end % SEGMENT, part = got - at < room ? got - at : room;
        if (pwrite(log_fd, buffer + at, part, log_end % SEGMENT) != (ssize_t)part) die("log");
        if (pread(log_fd, buffer + at, part, log_end % SEGMENT) != (ssize_t)part) die("log");
        at += part;
        log_end += part;
    }
}

/* Waits for the descriptor and reads once; 0 at the end, which a terminal reports as EIO. */
static ssize_t next(int fd) {
    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, -1) < 0) die("poll");
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got > 0) keep_log(got);
        if (got >= 0) return got;
        if (errno == EIO) return 0;
        if (errno != EAGAIN) die("read");
    }
}

static void finish(struct session s) {
    waitpid(s.pid, NULL, 0);
    close(s.fd);
}

static void end(struct session s) {
    kill(s.pid, SIGKILL);
    finish(s);
}

static void run_true(void) {
    char *argv[] = {"/bin/true", NULL};
    struct session s = start(argv, 1);
    while (next(s.fd) > 0) {}
    finish(s);
}

static void spawn(void) {
    for (double until = now_us() + warm_us; now_us() < until;) run_true();
    for (double begin = now_us(), before; (before = now_us()) < begin + run_us;) {
        run_true();
        keep(now_us() - before);
    }
    print_latency("spawn");
}

static void parallel(void) {
    char *argv[] = {"/bin/true", NULL};
    struct session all[PARALLEL];
    struct pollfd polls[PARALLEL];
    for (int i = 0; i < PARALLEL; i++) {
        all[i] = start(argv, 1);
        polls[i] = (struct pollfd){all[i].fd, POLLIN, 0};
    }
    double begin = now_us() + warm_us;
    int done = 0;
    while (now_us() < begin + run_us) {
        if (poll(polls, PARALLEL, -1) < 0) die("poll");
        for (int i = 0; i < PARALLEL; i++) {
            if (!polls[i].revents || read(all[i].fd, buffer, sizeof buffer) > 0 || errno == EAGAIN) continue;
            finish(all[i]);
            done += now_us() >= begin;
            all[i] = start(argv, 1);
            polls[i].fd = all[i].fd;
        }
    }
    printf("parallel %.1f /s\n", done / (run_us / 1e6));
    for (int i = 0; i < PARALLEL; i++) end(all[i]);
}

/* Reads until the text appears, which may be split across reads. */
static void await(int fd, const char *text) {
    char seen[64] = "";
    do {
        ssize_t got = next(fd);
        if (got <= 0 || got >= 32) die("await");
        strncat(seen, buffer, got);
    } while (!strstr(seen, text));
}

static struct session start_echo(void) {
    char *argv[] = {(char *)child, "raw", "cat", NULL};
    struct session s = start(argv, 1);
    await(s.fd, "ready\n");
    return s;
}

/* One byte there and back, while also reading the flood, if there is one. */
static void round_trip(int fd, int flood) {
    if (write(fd, "x", 1) != 1) die("write");
    if (flood < 0) {
        if (next(fd) <= 0) die("echo");
        return;
    }
    for (;;) {
        struct pollfd p[2] = {{fd, POLLIN, 0}, {flood, POLLIN, 0}};
        if (poll(p, 2, -1) < 0) die("poll");
        ssize_t got = p[1].revents ? read(flood, buffer, sizeof buffer) : 0;
        if (p[1].revents && got <= 0 && errno != EAGAIN) die("flood");
        if (got > 0) {
            flood_bytes += got;
            keep_log(got);
        }
        got = p[0].revents ? read(fd, buffer, sizeof buffer) : 0;
        if (got > 0) {
            keep_log(got);
            return;
        }
    }
}

static void echo(int flooded) {
    char *argv[] = {(char *)child, "bytes", "1000000000000", NULL};
    struct session s = start_echo(), f = {0, -1};
    if (flooded) f = start(argv, 1);
    for (double until = now_us() + warm_us; now_us() < until;) round_trip(s.fd, f.fd);
    flood_bytes = 0;
    for (double begin = now_us(), before; (before = now_us()) < begin + run_us;) {
        round_trip(s.fd, f.fd);
        keep(now_us() - before);
    }
    print_latency(flooded ? "flood" : "echo");
    if (flooded) printf("flood.rate %.2f MB/s\n", flood_bytes / run_us);
    end(s);
    if (flooded) end(f);
}

/* MB/s */
static double transfer(const char *kind, int pty, long long bytes) {
    char amount[32];
    snprintf(amount, sizeof amount, "%lld", bytes);
    char *argv[] = {(char *)child, (char *)kind, amount, NULL};
    double before = now_us();
    struct session s = start(argv, pty);
    long long total = 0;
    for (ssize_t got; (got = next(s.fd)) > 0;) total += got;
    double took = now_us() - before;
    finish(s);
    if (total < bytes) die("bytes are missing");
    return total / took;
}

static void bulk(const char *work, const char *kind, int pty) {
    double until = now_us() + warm_us;
    do transfer(kind, pty, WARM_BULK_BYTES); while (now_us() < until);
    until = now_us() + run_us;
    do keep(transfer(kind, pty, size)); while (now_us() < until);
    qsort(samples, count, sizeof *samples, ascending);
    printf("%s %.2f MB/s\n", work, samples[count / 2]);
}

static void paste(void) {
    static char text[1 << 20];
    memset(text, 'x', sizeof text);
    char *argv[] = {(char *)child, "sink", "1048576", NULL};
    double until = now_us() + run_us;
    do {
        struct session s = start(argv, 1);
        await(s.fd, "ready\n");
        double before = now_us();
        for (size_t at = 0; at < sizeof text;) {
            struct pollfd p = {s.fd, POLLOUT, 0};
            if (poll(&p, 1, -1) < 0) die("poll");
            ssize_t taken = write(s.fd, text + at, sizeof text - at);
            if (taken < 0 && errno != EAGAIN) die("write");
            at += taken > 0 ? (size_t)taken : 0;
        }
        await(s.fd, "done\n");
        keep((now_us() - before) / 1e3);
        finish(s);
    } while (now_us() < until);
    qsort(samples, count, sizeof *samples, ascending);
    printf("paste %.3f ms\n", samples[count / 2]);
}

static double anonymous_kib(void) {
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f)) if (sscanf(line, "Anonymous: %lf", &kib) == 1) break;
    if (f) fclose(f);
    return kib;
}

static double cpu_ms(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void idle(void) {
    int n = (int)size;
    char *argv[] = {"/bin/sleep", "1000", NULL};
    run_true();
    double base = anonymous_kib(), before = now_us();
    struct session *all = calloc(n, sizeof *all);
    struct pollfd *polls = calloc(n, sizeof *polls);
    for (int i = 0; i < n; i++) {
        all[i] = start(argv, 1);
        polls[i] = (struct pollfd){all[i].fd, POLLIN, 0};
    }
    printf("idle.create %.1f ms\n", (now_us() - before) / 1e3);
    printf("idle.each %.2f KiB\nidle.threads 1 threads\n", (anonymous_kib() - base) / n);
    double cpu = cpu_ms();
    poll(polls, n, (int)(run_us / 1e3));
    printf("idle.cpu %.3f ms/s\n", (cpu_ms() - cpu) / (run_us / 1e6));
    before = now_us();
    for (int i = 0; i < n; i++) kill(all[i].pid, SIGKILL);
    for (int i = 0; i < n; i++) finish(all[i]);
    printf("idle.close %.1f ms\n", (now_us() - before) / 1e3);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s WORK CHILD WARM_MS RUN_MS SIZE\n", argv[0]);
        return 2;
    }
    const char *work = argv[1];
    child = argv[2];
    warm_us = atof(argv[3]) * 1e3;
    run_us = atof(argv[4]) * 1e3;
    size = atoll(argv[5]);
    samples = malloc(MAX_SAMPLES * sizeof *samples);
    signal(SIGPIPE, SIG_IGN);
    log_folder = getenv("LOG");
    if (!strcmp(work, "spawn")) spawn();
    else if (!strcmp(work, "parallel")) parallel();
    else if (!strcmp(work, "echo")) echo(0);
    else if (!strcmp(work, "flood")) echo(1);
    else if (!strcmp(work, "lines") || !strcmp(work, "bytes")) bulk(work, work, 1);
    else if (!strcmp(work, "pipe")) bulk(work, "bytes", 0);
    else if (!strcmp(work, "paste")) paste();
    else if (!strcmp(work, "idle")) idle();
    else if (!strcmp(work, "cold")) run_true(), puts("exited");
    else return 3;
    delete_log();
    return 0;
}
