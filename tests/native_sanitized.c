/* Reads each file as qrels and as a run, from memory of just its size, so that sanitizers see what is read beside it. */
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
                   array(judged, 4), array(judged, 4), array(judged, 4), 0,               0, 0, 0};
    int done = cranfield_run(judgments, excluded, data, size, (int)(size % 2), &found);
    free(found.code), free(found.length), free(found.name), free(found.size), free(found.own);
    free(found.topic), free(found.rank), free(found.judgment);
    return done;
}

static int read_as_qrels(const char *data, size_t size)
{
    size_t lines = size / 8 + 1;
    Read read = {array(lines, 8), array(lines, 8), array(lines, 8), array(size + 1, 1), array(lines, 8), 0, 0, 0};
    int done = cranfield_qrels(data, size, &read);
    free(read.length), free(read.name), free(read.size), free(read.ids), free(read.label);
    return done;
}

int main(int count, char **names)
{
    static const char lines[] = "401\n402\nt\na\nFT-2\nLA-10\na-document-with-a-long-id\na\nb\nc\nx";
    static const int64_t documents[] = {4, 3, 1};
    static const char some[] = "401\n402\nt\n401\nb\nt\na";
    static const int64_t few[] = {1, 1, 2};
    Judgments *judgments = cranfield_judgments(lines, sizeof lines - 1, documents, 3);
    Judgments *excluded = cranfield_judgments(some, sizeof some - 1, few, 3);
    int read = 0, declined = 0;
    if (!judgments || !excluded || cranfield_judgments(lines, sizeof lines - 1, documents, 2))
        return 1;
    for (int i = 1; i < count; i++) {
        static char whole[1 << 16];
        FILE *file = fopen(names[i], "rb");
        size_t size = file ? fread(whole, 1, sizeof whole, file) : 0;
        char *data = malloc(size ? size : 1);
        if (!file || !data)
            return 1;
        memcpy(data, whole, size);
        fclose(file);
        if (read_as_run(judgments, size % 3 ? NULL : excluded, 8, data, size) == DONE || read_as_qrels(data, size) == DONE)
            read++;
        else
            declined++;
        free(data);
    }
    cranfield_forget(judgments);
    cranfield_forget(excluded);
    return printf("%d %d\n", read, declined) < 0;
}
