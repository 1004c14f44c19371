/* Reads each text that comes as qrels and as a run, piece by piece, from memory of just its size, so that sanitizers see
 * what is read beside it. A text is its size, in four bytes, the lowest first, and so many bytes. */
#include "native.c"
#include <stdio.h>

static void *array(size_t count, size_t size)
{
    return malloc(count * size + 1);
}

static int read_as_run(const Judgments *judgments, const Judgments *excluded, size_t judged, const char *data, size_t size)
{
    size_t lines = size / 12 + 1;
    Found found = {array(lines, 4),  array(lines, 8),  array(lines, 8),  array(lines, 8), array(lines, 1),
                   array(judged, 4), array(judged, 4), array(judged, 4), 0,               0, 0, 0, 0};
    Run *run = cranfield_run_begin(judgments);
    int done;
    do {
        done = cranfield_run(run, judgments, excluded, data, size, 1 + size % 90, (int)(size % 2), &found);
    } while (done == MORE);
    cranfield_run_end(run);
    free(found.code), free(found.length), free(found.name), free(found.size), free(found.own);
    free(found.topic), free(found.rank), free(found.judgment);
    return done;
}

static int read_as_qrels(const char *data, size_t size)
{
    size_t lines = size / 8 + 1;
    Read read = {array(lines, 8), array(lines, 8), array(lines, 8), array(size + 1, 1), array(lines, 8), 0, 0, 0, 0};
    int done;
    do {
        done = cranfield_qrels(data, size, 1 + size % 90, &read);
    } while (done == MORE);
    free(read.length), free(read.name), free(read.size), free(read.ids), free(read.label);
    return done;
}

/* Make tables of lines; NULL where they are declined. */
static Judgments *judged(const char *lines, size_t size, const int64_t *documents, size_t topics)
{
    Judgments *made = cranfield_judgments(lines, size, documents, topics);
    int done = MORE;
    while (made && done == MORE)
        done = cranfield_fill(made, documents);
    if (made && done == DECLINED) {
        cranfield_forget(made);
        return NULL;
    }
    return made;
}

int main(void)
{
    static const char lines[] = "401\n402\nt\na\nFT-2\nLA-10\na-document-with-a-long-id\na\nb\nc\nx";
    static const int64_t documents[] = {4, 3, 1};
    static const char some[] = "401\n402\nt\n401\nb\nt\na";
    static const int64_t few[] = {1, 1, 2};
    unsigned char head[4];
    int read = 0, declined = 0;
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *data = malloc(size ? size : 1);
        Judgments *judgments, *excluded;
        if (!data || fread(data, 1, size, stdin) != size)
            return 1;
        cranfield_secret(size * UINT64_C(0x9E3779B97F4A7C15), (uint64_t)(read + declined)); /* no two hash alike */
        judgments = judged(lines, sizeof lines - 1, documents, 3);
        excluded = judged(some, sizeof some - 1, few, 3);
        if (!judgments || !excluded || judged(lines, sizeof lines - 1, documents, 2))
            return 1;
        if (read_as_run(judgments, size % 3 ? NULL : excluded, 8, data, size) == DONE || read_as_qrels(data, size) == DONE)
            read++;
        else
            declined++;
        cranfield_forget(judgments);
        cranfield_forget(excluded);
        free(data);
    }
    return printf("%d %d\n", read, declined) < 0;
}
