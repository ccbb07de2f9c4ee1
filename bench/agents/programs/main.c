#include <stdio.h>

int main(void) {
    printf("%d\n", answer);
    return 0;
}
