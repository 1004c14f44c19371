/* The native road: runs and qrels in TREC text, read in one pass, and the documents of a run looked up.
 *
 * It reads what is in order, completely, or declines; then the Python road reads the file, and says what
 * is wrong with it, if anything is. So nothing here has a message. A line is so many cells with blanks
 * between them; blank lines are passed over. Control characters, cells too many or too few, a number
 * that is not plainly one, a document that seems to be in a topic twice, a topic that comes back: declined.
 * Whether what is not of ASCII is UTF-8 is for the caller to see: of runs it is told whether there is any.
 *
 * Documents are looked up by hashes, and what a hash finds is compared with the id itself.
 */
#define _GNU_SOURCE
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#ifdef __APPLE__
#include <xlocale.h>
#endif

#if FLT_EVAL_METHOD != 0
#error "numbers would be rounded twice"
#endif

enum { DONE = 0, DECLINED = -1 };
enum { RUN_COLUMNS = 6, QRELS_COLUMNS = 4, LONGEST_LINE = 1000000 };
enum { SHORTEST_LINE = sizeof "1 0 d 1 1 t\n" - 1 }; /* of a run */

typedef struct {
    const char *at;
    size_t length;
} Text;

static uint64_t load(const char *at, size_t length)
{
    uint64_t word = UINT64_MAX;
    memcpy(&word, at, length);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Compare eight bytes at once, the last of them once more if need be. */
static inline int same(Text a, Text b)
{
    size_t i;
    if (a.length != b.length)
        return 0;
    if (a.length < 8) {
        for (i = 0; i < a.length && a.at[i] == b.at[i]; i++)
            ;
        return i == a.length;
    }
    for (i = 0; i + 8 < a.length; i += 8)
        if (load(a.at + i, 8) != load(b.at + i, 8))
            return 0;
    return load(a.at + a.length - 8, 8) == load(b.at + b.length - 8, 8);
}

/* ---- Lines ---- */

enum { BLOCK = 64 };

/* A text, and how far it was read: a block of bytes at once is looked at for those that end a cell. */
typedef struct {
    const char *at, *end;     /* where the next line begins, and where the text ends */
    const char *block, *next; /* the bytes that are looked at, and those that come after them */
    uint64_t ends;            /* which of these end a cell and were not come to yet: a bit for each byte */
    uint64_t beyond;          /* whether any that was looked at is not of ASCII */
} Reader;

static Reader reader_of(const char *data, size_t size)
{
    return (Reader){data, data + size, data, data, 0, 0};
}

/* Tell which bytes of a block are blanks or control characters: a bit for each; and whether all are of ASCII. */
static inline uint64_t ends_in(const char *block, uint64_t *beyond)
{
    uint64_t ends = 0;
    int i;
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' ');
    for (i = 0; i < BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(block + i));
        __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes);
        ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << i;
        *beyond |= (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
    }
#else
    const uint64_t top = UINT64_C(0x8080808080808080), more = UINT64_C(0x5F5F5F5F5F5F5F5F); /* '!' and more is the top */
    const uint64_t together = UINT64_C(0x0102040810204080); /* times that, the lowest bits of bytes are the top byte */
    for (i = 0; i < BLOCK; i += 8) {
        uint64_t word = load(block + i, 8);
        *beyond |= word & top;
        word = ~(((word & ~top) + more) | word) & top;
        ends |= (word >> 7) * together >> 56 << i;
    }
#endif
    return ends;
}

/* Find the next blank or control character, and pass it; the end of the text, where there is none. */
static inline const char *end_of_cell(Reader *text)
{
    const char *found;
    while (!text->ends) {
        size_t left = (size_t)(text->end - text->next);
        if (!left)
            return text->end;
        text->block = text->next;
        if (left >= BLOCK) {
            text->ends = ends_in(text->block, &text->beyond);
            text->next += BLOCK;
        } else {
            char last[BLOCK];
            memset(last, 'x', BLOCK);
            memcpy(last, text->block, left);
            text->ends = ends_in(last, &text->beyond);
            text->next = text->end;
        }
    }
    found = text->block + __builtin_ctzll(text->ends);
    text->ends &= text->ends - 1;
    return found;
}

/* Read a line of so many cells and go on to the next one. Returns how many cells it has: none, or as many. */
static inline __attribute__((always_inline)) int read_line(Reader *text, Text *cell, int columns)
{
    const char *first = text->at, *at = first, *stop;
    int count = 0;
    for (;; at = stop + 1) {
        stop = end_of_cell(text);
        if (stop > at) {
            if (count == columns)
                return DECLINED;
            cell[count++] = (Text){at, (size_t)(stop - at)};
        }
        if (stop < text->end && (*stop == ' ' || *stop == '\t'))
            continue;
        if (stop < text->end && *stop == '\r' && (stop + 1 == text->end || stop[1] == '\n'))
            stop = end_of_cell(text);
        if (stop < text->end && *stop != '\n')
            return DECLINED;
        break;
    }
    text->at = stop < text->end ? stop + 1 : stop;
    return (count && count != columns) || text->at - first > LONGEST_LINE ? DECLINED : count;
}

/* ---- Numbers ---- */

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Powers of ten that a double holds exactly. */
static const double TEN_TO[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { LARGEST_POWER = 22, LONGEST_NUMBER = 63, MOST_DIGITS = 19 }; /* so many digits are a number of 64 bits */

/* Read a number as the library does in the C locale, whatever the locale of the process is. */
static int read_long_number(Text cell, double *value)
{
    char copy[LONGEST_NUMBER + 1], *end;
    locale_t plain;
    if (cell.length > LONGEST_NUMBER || !(plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)))
        return DECLINED;
    memcpy(copy, cell.at, cell.length);
    copy[cell.length] = '\0';
    *value = strtod_l(copy, &end, plain);
    freelocale(plain);
    return end == copy + cell.length && isfinite(*value) ? DONE : DECLINED;
}

/* Read digits, and add them to those that were read. Returns how many there are. */
static size_t read_digits(const char **from, const char *end, uint64_t *digits)
{
    const char *at = *from, *first = at;
    for (; at < end && is_digit(*at); at++)
        *digits = 10 * *digits + (uint64_t)(*at - '0');
    *from = at;
    return (size_t)(at - first);
}

/* Read a decimal number, to the last bit as Python's float() does.
 *
 * Digits that make a whole number below 2^53, and a power of ten up to 22, are both exact, so that the one
 * operation that joins them rounds once. */
static int read_number(Text cell, double *value)
{
    const char *at = cell.at, *end = at + cell.length;
    uint64_t digits = 0, written = 0;
    size_t whole, fraction = 0, more = 0;
    int power, negative, falls = 0;
    if (at < end && (*at == '+' || *at == '-'))
        at++;
    negative = at > cell.at && *cell.at == '-';
    whole = read_digits(&at, end, &digits);
    if (at < end && *at == '.') {
        at++;
        fraction = read_digits(&at, end, &digits);
    }
    if (!whole && !fraction)
        return DECLINED;
    if (at < end && (*at == 'e' || *at == 'E')) {
        falls = ++at < end && *at == '-';
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (!(more = read_digits(&at, end, &written)))
            return DECLINED;
    }
    if (at != end)
        return DECLINED;
    if (whole + fraction > MOST_DIGITS || more > 4)
        return read_long_number(cell, value);
    power = (falls ? -(int)written : (int)written) - (int)fraction;
    if (digits > (UINT64_C(1) << DBL_MANT_DIG) || power < -LARGEST_POWER || power > LARGEST_POWER)
        return read_long_number(cell, value);
    *value = power < 0 ? (double)digits / TEN_TO[-power] : (double)digits * TEN_TO[power];
    if (negative)
        *value = -*value;
    return DONE;
}

int cranfield_number(const char *text, size_t length, double *value)
{
    return read_number((Text){text, length}, value);
}

/* Read a whole number of no more than 15 digits, which a double holds exactly. */
static int read_label(Text cell, double *label)
{
    size_t first = *cell.at == '+' || *cell.at == '-', i;
    int64_t digits = 0;
    if (cell.length == first || cell.length > first + 15)
        return DECLINED;
    for (i = first; i < cell.length; i++) {
        if (!is_digit(cell.at[i]))
            return DECLINED;
        digits = 10 * digits + (cell.at[i] - '0');
    }
    *label = (double)(*cell.at == '-' ? -digits : digits);
    return DONE;
}

/* ---- Looking up ---- */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static uint64_t hash_of(Text text)
{
    uint64_t hash = text.length, word = 0;
    const char *at = text.at, *end = at + text.length;
    if (text.length < 8) {
        while (at < end)
            word = word << 8 | (unsigned char)*at++;
        return mixed(mixed(hash, word), 0);
    }
    for (; end - at > 8; at += 8)
        hash = mixed(hash, load(at, 8));
    return mixed(mixed(hash, load(end - 8, 8)), 0); /* some bytes once more: to look at fewer takes longer */
}

/* A place for each line, where its hash says or in the next free one. Most places are free, so that hardly any search
 * goes on to a second one; and of the hash some bits are kept beside, so that hardly any other line is compared. */
typedef struct {
    uint32_t number; /* of the line, from 1; 0 is free */
    uint32_t bits;
} Place;

typedef struct {
    Place *place;
    size_t mask;
} Table;

/* What was judged: a table of the topics, and one of the documents of each, small enough for the cache. */
typedef struct {
    char *text;      /* the topics; then all judged documents, topic by topic: a line each */
    uint32_t *start; /* where each line begins in the text; and where one more would */
    Place *place;
    Table *table; /* of the topics; then of the documents of each topic */
    size_t topics;
} Judgments;

static Place *place_of(Table table, uint64_t hash)
{
    return &table.place[hash & table.mask];
}

static Place *place_after(Table table, const Place *place)
{
    return place_of(table, (size_t)(place - table.place) + 1);
}

static Text line_of(const Judgments *judgments, uint32_t number)
{
    const uint32_t *start = judgments->start + number - 1;
    return (Text){judgments->text + start[0], start[1] - start[0] - 1};
}

/* Find which line a text is, from 1; 0: none of them. */
static uint32_t find(const Judgments *judgments, Table table, Text text, uint64_t hash)
{
    const Place *place = place_of(table, hash);
    for (; place->number; place = place_after(table, place))
        if (place->bits == (uint32_t)(hash >> 32) && same(line_of(judgments, place->number), text))
            return place->number;
    return 0;
}

/* How many places so many lines have: a power of two. */
static size_t room_for(size_t lines)
{
    size_t room = 2;
    while (room < 4 * lines)
        room *= 2;
    return room;
}

void cranfield_forget(Judgments *judgments)
{
    free(judgments->text);
    free(judgments->start);
    free(judgments->place);
    free(judgments->table);
    free(judgments);
}

/* Put all lines into their tables; declined where there are more or fewer, or one is in a table twice. */
static int fill(Judgments *judgments, size_t size, const int64_t *documents)
{
    const char *text = judgments->text, *at = text, *end = text + size, *stop;
    Place *unused = judgments->place, *place;
    uint32_t number = 0;
    size_t t, left, room;
    judgments->start[0] = 0;
    for (t = 0; t <= judgments->topics; t++, unused += room) {
        Table *table = &judgments->table[t];
        left = t ? (size_t)documents[t - 1] : judgments->topics;
        room = room_for(left);
        *table = (Table){unused, room - 1};
        for (; left--; at = stop + 1) {
            Text line;
            uint64_t hash;
            if (at > end)
                return DECLINED;
            stop = memchr(at, '\n', (size_t)(end - at));
            stop = stop ? stop : end;
            line = (Text){at, (size_t)(stop - at)};
            hash = hash_of(line);
            if (find(judgments, *table, line, hash))
                return DECLINED;
            for (place = place_of(*table, hash); place->number; place = place_after(*table, place))
                ;
            *place = (Place){++number, (uint32_t)(hash >> 32)};
            judgments->start[number] = (uint32_t)(stop - text) + 1;
        }
    }
    return at == end + 1 ? DONE : DECLINED;
}

/* Make what is looked up from lines: the topics, then so many documents of each. NULL where there are more lines. */
Judgments *cranfield_judgments(const char *lines, size_t size, const int64_t *documents, size_t topics)
{
    Judgments *made = calloc(1, sizeof *made);
    size_t room = room_for(topics), many = topics, t;
    for (t = 0; t < topics; t++) {
        room += room_for((size_t)documents[t]);
        many += (size_t)documents[t];
    }
    if (!made)
        return NULL;
    *made = (Judgments){malloc(size + 1), malloc((many + 1) * sizeof(uint32_t)), calloc(room, sizeof(Place)),
                        malloc((topics + 1) * sizeof(Table)), topics};
    if (made->text && made->start && made->place && made->table && size < INT32_MAX) {
        memcpy(made->text, lines, size);
        if (fill(made, size, documents) == DONE)
            return made;
    }
    cranfield_forget(made);
    return NULL;
}

/* ---- Runs ---- */

typedef struct {
    double score;
    Text id;
    uint64_t hash;
    int32_t judgment; /* below 0: unjudged */
} Row;

/* The rows of the topic that is being read, and room for the hashes of its documents. */
typedef struct {
    Row *row;
    uint64_t *hash;
    size_t count, places; /* rows, and places for hashes */
} List;

/* What was found, in the caller's arrays: topics in the order of the file, and cells topic by topic. */
typedef struct {
    int32_t *code;        /* of each topic: which topic of the qrels it is; -1: none of them */
    int64_t *length;      /* how many documents it has */
    int64_t *name, *size; /* where in the text its name stands, and how long it is */
    uint8_t *own;         /* whether a document of it has its name */
    int32_t *topic, *rank, *judgment; /* of each judged document */
    int64_t topics, cells, tied, excluded;
    int64_t beyond; /* whether the text is not all of ASCII */
} Found;

/* Tell whether two documents have the same hash, or that cannot be told; and have their places in the table fetched.
 * A hash of 0 is taken for 1, since 0 stands for a free place. */
static int seems_repeated(List *list, Table table)
{
    size_t room = room_for(list->count), i, at;
    if (room > list->places) {
        free(list->hash);
        list->hash = malloc(room * sizeof *list->hash);
        list->places = list->hash ? room : 0;
    }
    if (!list->hash)
        return 1;
    memset(list->hash, 0, room * sizeof *list->hash);
    for (i = 0; i < list->count; i++) {
        uint64_t hash = list->row[i].hash ? list->row[i].hash : 1;
        __builtin_prefetch(place_of(table, hash));
        for (at = hash & (room - 1); list->hash[at]; at = (at + 1) & (room - 1))
            if (list->hash[at] == hash)
                return 1;
        list->hash[at] = hash;
    }
    return 0;
}

/* Tell whether one of the documents is called so, after `seems_repeated` has laid their hashes down. */
static int has(const List *list, Text name, uint64_t hash)
{
    size_t room = room_for(list->count), i, at;
    uint64_t wanted = hash ? hash : 1;
    if (!list->count)
        return 0;
    for (at = wanted & (room - 1); list->hash[at] != wanted; at = (at + 1) & (room - 1))
        if (!list->hash[at])
            return 0;
    for (i = 0; i < list->count; i++)
        if (list->row[i].hash == hash && same(list->row[i].id, name))
            return 1;
    return 0;
}

/* The id that is last in the order of bytes comes first. */
static inline int id_comes_after(Text a, Text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(b.at, a.at, shorter);
    return order ? order > 0 : b.length > a.length;
}

/* The larger score comes first; of equal scores the id that is last. */
static int comes_after(const void *one, const void *other)
{
    const Row *a = one, *b = other;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return id_comes_after(a->id, b->id) - id_comes_after(b->id, a->id);
}

enum { FEW = 16 };

/* Put documents of the same score in order: by insertion where they are few, as nearly always. */
static void rank_tied(Row *row, size_t count)
{
    size_t i, at;
    if (count > FEW) {
        qsort(row, count, sizeof *row, comes_after);
        return;
    }
    for (i = 1; i < count; i++) {
        Row next = row[i];
        for (at = i; at && id_comes_after(row[at - 1].id, next.id); at--)
            row[at] = row[at - 1];
        row[at] = next;
    }
}

/* Put the rows in order. Nearly every file is sorted by score already, and ties matter where one is judged. */
static int64_t rank_rows(Row *row, size_t count)
{
    size_t i, first, judged;
    int64_t tied = 0;
    for (i = 1; i < count; i++)
        if (row[i].score > row[i - 1].score) {
            qsort(row, count, sizeof *row, comes_after);
            break;
        }
    for (first = 0; first < count; first = i) {
        judged = row[first].judgment >= 0;
        for (i = first + 1; i < count && row[i].score == row[first].score; i++)
            judged += row[i].judgment >= 0;
        if (i - first == 1)
            continue;
        tied += (int64_t)(i - first);
        if (judged)
            rank_tied(row + first, i - first);
    }
    return tied;
}

/* Find the judgments of all rows. */
static void look_up(const Judgments *judgments, Table table, Row *row, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        row[i].judgment = (int32_t)find(judgments, table, row[i].id, row[i].hash) - (int32_t)judgments->topics - 1;
}

/* The topic has ended: rank its rows, and write down the judged ones. */
static int end_topic(const Judgments *judgments, List *list, int32_t code, Text topic, uint64_t hash, Found *found)
{
    size_t i;
    if (list->count > INT32_MAX || seems_repeated(list, judgments->table[code + 1]))
        return DECLINED;
    if (topic.at)
        found->own[found->topics - 1] = (uint8_t)has(list, topic, hash);
    look_up(judgments, judgments->table[code + 1], list->row, list->count);
    found->tied += rank_rows(list->row, list->count);
    for (i = 0; i < list->count; i++)
        if (list->row[i].judgment >= 0) {
            found->topic[found->cells] = code;
            found->rank[found->cells] = (int32_t)(i + 1);
            found->judgment[found->cells++] = list->row[i].judgment;
        }
    list->count = 0;
    return DONE;
}

static int read_run(const Judgments *judgments, const Judgments *excluded, const char *data, size_t size,
                    int in_32_bits, List *list, char *seen, Found *found)
{
    Reader text = reader_of(data, size);
    Text cell[RUN_COLUMNS], topic = {NULL, 0};
    uint64_t hash = 0;
    int32_t code = -1;
    int columns;
    while (text.at < text.end) {
        Row *row = &list->row[list->count]; /* written in its place: to copy it would wait for what was just written */
        if ((columns = read_line(&text, cell, RUN_COLUMNS)) == 0)
            continue;
        if (columns == DECLINED || read_number(cell[4], &row->score) == DECLINED)
            return DECLINED;
        if (!topic.at || !same(topic, cell[0])) {
            double score = row->score;
            if (end_topic(judgments, list, code, topic, hash, found) == DECLINED)
                return DECLINED;
            row = list->row;
            row->score = score;
            topic = cell[0];
            hash = hash_of(topic);
            code = (int32_t)find(judgments, judgments->table[0], topic, hash) - 1;
            if (code >= 0 && seen[code]++)
                return DECLINED;
            found->code[found->topics] = code;
            found->length[found->topics] = 0;
            found->name[found->topics] = topic.at - data;
            found->size[found->topics++] = (int64_t)topic.length;
        }
        found->length[found->topics - 1]++;
        if (code < 0)
            continue;
        if (in_32_bits)
            row->score = (float)row->score;
        row->id = cell[2];
        row->hash = hash_of(row->id);
        row->judgment = -1;
        if (excluded && find(excluded, excluded->table[code + 1], row->id, row->hash)) {
            found->length[found->topics - 1]--;
            found->excluded++;
            continue;
        }
        list->count++;
    }
    found->beyond = text.beyond != 0;
    return end_topic(judgments, list, code, topic, hash, found);
}

/* Read a run, rank it and look its documents up, but for the excluded ones (NULL: none), which are in tables of the
 * same topics. The arrays of topics have room for as many as there can be
 * lines in the text, those of cells for as many as there are judgments. */
int cranfield_run(const Judgments *judgments, const Judgments *excluded, const char *data, size_t size,
                  int in_32_bits, Found *found)
{
    size_t lines = size / SHORTEST_LINE + 1; /* of this room only what the longest topic needs is ever touched */
    List list = {malloc(lines * sizeof(Row)), NULL, 0, 0};
    char *seen = calloc(judgments->topics + 1, 1);
    int done = DECLINED;
    if (list.row && seen)
        done = read_run(judgments, excluded, data, size, in_32_bits, &list, seen, found);
    free(list.row);
    free(list.hash);
    free(seen);
    return done;
}

/* ---- Qrels ---- */

/* What stands in qrels, in the caller's arrays: stretches of lines of a topic, and each line's document and label. */
typedef struct {
    int64_t *length, *name, *size; /* of each stretch: its lines, and where the topic's name stands */
    char *ids;                     /* a line each */
    double *label;
    int64_t stretches, lines, ids_size;
} Read;

int cranfield_qrels(const char *data, size_t size, Read *read)
{
    Reader text = reader_of(data, size);
    Text cell[QRELS_COLUMNS], topic = {NULL, 0};
    int columns;
    while (text.at < text.end) {
        if ((columns = read_line(&text, cell, QRELS_COLUMNS)) == 0)
            continue;
        if (columns == DECLINED || read_label(cell[3], &read->label[read->lines]) == DECLINED)
            return DECLINED;
        if (!topic.at || !same(topic, cell[0])) {
            topic = cell[0];
            read->length[read->stretches] = 0;
            read->name[read->stretches] = topic.at - data;
            read->size[read->stretches++] = (int64_t)topic.length;
        }
        read->length[read->stretches - 1]++;
        read->lines++;
        memcpy(read->ids + read->ids_size, cell[2].at, cell[2].length);
        read->ids_size += (int64_t)cell[2].length;
        read->ids[read->ids_size++] = '\n';
    }
    return DONE;
}

/* ---- Which source this was made of ---- */

const char *cranfield_digest(void)
{
    return DIGEST;
}
