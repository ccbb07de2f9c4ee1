/* Runs inside the terminals and pipes of the benchmark: the same few children for every peer.
 *
 *   child raw PROGRAM [ARG...]  makes the terminal raw and silent, prints "ready", becomes PROGRAM
 *   child lines BYTES           prints 80-column lines (line feed included) as fast as it can
 *   child bytes BYTES           prints bytes without a line feed as fast as it can
 *   child sink BYTES            makes the terminal raw, prints "ready", reads BYTES, prints "done"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define BLOCK (80 * 800)

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void put(const char *data, size_t size) {
    while (size > 0) {
        ssize_t taken = write(1, data, size);
        if (taken < 0) die("write");
        data += taken;
        size -= (size_t)taken;
    }
}

static void raw(void) {
    struct termios modes;
    if (tcgetattr(0, &modes) < 0) die("tcgetattr");
    cfmakeraw(&modes);
    if (tcsetattr(0, TCSANOW, &modes) < 0) die("tcsetattr");
    put("ready\n", 6);
}

static void flood(long long left, int lines) {
    static char block[BLOCK];
    memset(block, 'x', sizeof block);
    for (int i = 79; lines && i < BLOCK; i += 80) block[i] = '\n';
    while (left > 0) {
        size_t part = left < BLOCK ? (size_t)left : BLOCK;
        put(block, part);
        left -= (long long)part;
    }
}

static void sink(long long left) {
    static char block[65536];
    raw();
    while (left > 0) {
        ssize_t got = read(0, block, sizeof block);
        if (got <= 0) die("read");
        left -= got;
    }
    put("done\n", 5);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "raw")) {
        raw();
        execvp(argv[2], argv + 2);
        die(argv[2]);
    }
    long long bytes = atoll(argv[2]);
    if (!strcmp(argv[1], "sink")) sink(bytes);
    else flood(bytes, !strcmp(argv[1], "lines"));
    return 0;
}
