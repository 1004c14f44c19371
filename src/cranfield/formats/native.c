/* The native road: runs and qrels in TREC text, read in one pass, and the documents of a run looked up; runs in memory
 * likewise, as dicts or lists of documents by topic.
 *
 * It reads what is in order, completely, or declines; then the Python road reads the file, and says what
 * is wrong with it, if anything is. So nothing here has a message. A line is so many cells with blanks
 * between them; blank lines are passed over. Control characters, cells too many or too few, a number
 * that is not plainly one, a document that seems to be in a topic twice, a topic that comes back: declined.
 * Whether what is not of ASCII is UTF-8 is for the caller to see: of runs it is told whether there is any.
 *
 * Documents are looked up by hashes, and what a hash finds is compared with the id itself. Hashes follow from
 * secrets of the process, so that nobody can choose ids that have the same; where a search takes more steps than
 * chance allows for, it is declined all the same. Long texts are read piece by piece, so that whoever calls can
 * look at signals in between.
 */
#define _GNU_SOURCE
#ifndef WITHOUT_PYTHON /* then there are no runs in memory */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* one library for every Python from 3.11 on */
#include <Python.h>
#endif
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

enum { DONE = 0, DECLINED = -1, MORE = 1 };
enum { RUN_COLUMNS = 6, QRELS_COLUMNS = 4, LONGEST_LINE = 1000000 };

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
        if (stop - first > LONGEST_LINE + 1)
            return DECLINED;
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

/* What hashes follow from: numbers that this process alone knows. The second one is odd. */
static uint64_t secret[2] = {UINT64_C(0xA0761D6478BD642F), UINT64_C(0x9E3779B97F4A7C15)};

void cranfield_secret(uint64_t first, uint64_t second)
{
    secret[0] = first;
    secret[1] = second | 1;
}

/* Multiply by a secret, and lay both halves of the product over each other. */
static uint64_t folded(uint64_t word)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)word * secret[1];
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = UINT32_MAX, a = word >> 32, b = word & low, c = secret[1] >> 32, d = secret[1] & low;
    uint64_t middle = (b * d >> 32) + (a * d & low) + b * c;
    return word * secret[1] ^ (a * c + (a * d >> 32) + (middle >> 32));
#endif
}

static uint64_t hash_of(Text text)
{
    uint64_t hash = folded(secret[0] ^ text.length), word = 0;
    const char *at = text.at, *end = at + text.length;
    if (text.length < 8) {
        while (at < end)
            word = word << 8 | (unsigned char)*at++;
        return folded(hash ^ word);
    }
    for (; end - at > 8; at += 8)
        hash = folded(hash ^ load(at, 8));
    return folded(hash ^ load(end - 8, 8)); /* some bytes once more: to look at fewer takes longer */
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

/* At most one place in four is taken, so that by chance a search goes so far less than once in 10^30. */
enum { MOST_STEPS = 128 };
#define LOST UINT32_MAX /* what a search finds that took more */

/* What was judged: a table of the topics, and one of the documents of each, small enough for the cache. */
typedef struct {
    char *text;      /* the topics; then all judged documents, topic by topic: a line each */
    uint32_t *start; /* where each line begins in the text; and where one more would */
    Place *place;
    Table *table; /* of the topics; then of the documents of each topic */
    size_t topics;
    /* While they are put into their tables: which table, how many lines it still lacks, and the place after it; the line
     * that is next, its number less 1; how long the text is. */
    size_t of, left, at, size;
    Place *unused;
    uint32_t number;
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

/* Find which line a text is, from 1; 0: none of them; LOST: it takes too long. */
static uint32_t find(const Judgments *judgments, Table table, Text text, uint64_t hash)
{
    const Place *place = place_of(table, hash);
    int steps = 0;
    for (; place->number; place = place_after(table, place)) {
        if (place->bits == (uint32_t)(hash >> 32) && same(line_of(judgments, place->number), text))
            return place->number;
        if (++steps > MOST_STEPS)
            return LOST;
    }
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

/* Take lines that are to be looked up: the topics, then so many documents of each. NULL where there is no room. */
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
    *made = (Judgments){.text = malloc(size + 1), .start = malloc((many + 1) * sizeof(uint32_t)),
                        .place = calloc(room, sizeof(Place)), .table = malloc((topics + 1) * sizeof(Table)),
                        .topics = topics, .size = size};
    if (!made->text || !made->start || !made->place || !made->table || size >= INT32_MAX) {
        cranfield_forget(made);
        return NULL;
    }
    memcpy(made->text, lines, size);
    made->start[0] = 0;
    made->unused = made->place;
    return made;
}

enum { AT_ONCE = 1 << 18 }; /* lines or rows that are gone through before the caller can look at signals */

/* Put lines into their tables: MORE if these are not all; declined where there are more or fewer, or one is in a table
 * twice, or takes too long to be found. */
int cranfield_fill(Judgments *made, const int64_t *documents)
{
    const char *text = made->text, *end = text + made->size;
    size_t done;
    for (done = 0; done < AT_ONCE; done++) {
        const char *at = text + made->at, *stop;
        Table *table;
        Place *place;
        Text line;
        uint64_t hash;
        int steps = 0;
        while (!made->left) {
            size_t room;
            if (made->of > made->topics)
                return made->at == made->size + 1 ? DONE : DECLINED;
            made->left = made->of ? (size_t)documents[made->of - 1] : made->topics;
            room = room_for(made->left);
            made->table[made->of++] = (Table){made->unused, room - 1};
            made->unused += room;
        }
        if (at > end)
            return DECLINED;
        table = &made->table[made->of - 1];
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        line = (Text){at, (size_t)(stop - at)};
        hash = hash_of(line);
        if (find(made, *table, line, hash))
            return DECLINED;
        for (place = place_of(*table, hash); place->number; place = place_after(*table, place))
            if (++steps > MOST_STEPS)
                return DECLINED;
        *place = (Place){++made->number, (uint32_t)(hash >> 32)};
        made->at = (size_t)(stop - text) + 1;
        made->start[made->number] = (uint32_t)made->at;
        made->left--;
    }
    return MORE;
}

/* ---- Runs ---- */

typedef struct {
    double score;
    Text id;
    uint64_t hash;
    int32_t judgment; /* below 0: unjudged */
} Row;

/* The rows of the topic that is being read. When it ends, they are gone through in stages, each a piece at a time. */
typedef struct {
    Row *row, *other;               /* the rows; and where they are sorted */
    size_t count, room, other_room; /* of rows; there is always room for one more */
    uint64_t *hash;                 /* of its documents, where they want to be or after that */
    size_t places;                  /* room for hashes */
    enum { LAY_HASHES, LOOK_UP, SORT_BY_SCORE, SORT, WRITE_DOWN } stage;
    size_t next, width; /* which row is next; and stretches of how many are in order */
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

/* Tell how far the next rows go. */
static size_t end_of_piece(const List *list)
{
    return list->count - list->next > AT_ONCE ? list->next + AT_ONCE : list->count;
}

/* The rows up to here are done: MORE if these are not all; otherwise the next stage begins. */
static int gone_through(List *list, size_t end)
{
    list->next = end;
    if (end < list->count)
        return MORE;
    list->next = 0;
    list->stage++;
    return DONE;
}

/* Lay down the hashes of the documents, and have their places in the table fetched. Declined where two have the same,
 * or that cannot be told, or takes too long. A hash of 0 is taken for 1, since 0 stands for a free place. */
static int lay_hashes(List *list, Table table)
{
    size_t room = room_for(list->count), end = end_of_piece(list), i, at, steps;
    if (room > list->places) {
        free(list->hash);
        list->hash = malloc(room * sizeof *list->hash);
        list->places = list->hash ? room : 0;
    }
    if (!list->hash)
        return DECLINED;
    if (!list->next)
        memset(list->hash, 0, room * sizeof *list->hash);
    for (i = list->next; i < end; i++) {
        uint64_t hash = list->row[i].hash ? list->row[i].hash : 1;
        __builtin_prefetch(place_of(table, hash));
        steps = 0;
        for (at = hash & (room - 1); list->hash[at]; at = (at + 1) & (room - 1))
            if (list->hash[at] == hash || ++steps > MOST_STEPS)
                return DECLINED;
        list->hash[at] = hash;
    }
    return gone_through(list, end);
}

/* Tell whether one of the documents is called so, after `lay_hashes`. */
static int has(const List *list, Text name, uint64_t hash)
{
    size_t room = room_for(list->count), i, at, steps = 0;
    uint64_t wanted = hash ? hash : 1;
    if (!list->count)
        return 0;
    for (at = wanted & (room - 1); list->hash[at] != wanted && steps <= MOST_STEPS; at = (at + 1) & (room - 1), steps++)
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
static inline int comes_after(const Row *a, const Row *b)
{
    return a->score != b->score ? a->score < b->score : id_comes_after(a->id, b->id);
}

enum { FEW = 16 };

/* Put a few rows in order. */
static void insert(Row *row, size_t count)
{
    size_t i, at;
    for (i = 1; i < count; i++) {
        Row next = row[i];
        for (at = i; at && comes_after(&row[at - 1], &next); at--)
            row[at] = row[at - 1];
        row[at] = next;
    }
}

/* Put two stretches of rows that are in order together. */
static void merge(const Row *row, size_t middle, size_t count, Row *into)
{
    size_t one = 0, other = middle;
    while (one < middle && other < count)
        *into++ = comes_after(&row[one], &row[other]) ? row[other++] : row[one++];
    memcpy(into, row + one, (middle - one) * sizeof *row);
    memcpy(into + (middle - one), row + other, (count - other) * sizeof *row);
}

/* See that there is room to sort the rows into. */
static int make_other(List *list)
{
    if (list->other_room != list->room) {
        free(list->other);
        list->other = malloc(list->room * sizeof *list->other);
        list->other_room = list->other ? list->room : 0;
    }
    return list->other ? DONE : DECLINED;
}

/* Put rows in order: a few at a time, and then two stretches as one, again and again. */
static int sort(List *list)
{
    size_t count = list->count, done = 0, left, middle;
    if (make_other(list) == DECLINED)
        return DECLINED;
    if (!list->width) {
        for (; list->next < count; list->next += FEW, done += FEW) {
            if (done >= AT_ONCE)
                return MORE;
            insert(list->row + list->next, count - list->next < FEW ? count - list->next : FEW);
        }
        list->width = FEW;
        list->next = 0;
    }
    for (; list->width < count; list->width *= 2, list->next = 0) {
        Row *row = list->row;
        for (; list->next < count; list->next += left, done += left) {
            if (done >= AT_ONCE)
                return MORE;
            left = count - list->next < 2 * list->width ? count - list->next : 2 * list->width;
            middle = left < list->width ? left : list->width;
            merge(row + list->next, middle, left, list->other + list->next);
        }
        list->row = list->other;
        list->other = row;
    }
    list->width = 0;
    return gone_through(list, count);
}

/* Tell whether all rows are to be sorted: they are not by score, or many share one, and one of these is judged. Nearly
 * every file is sorted already, and ties are few. */
static int is_to_be_sorted(const Row *row, size_t count)
{
    size_t first, i, judged;
    for (first = 0; first < count; first = i) {
        judged = row[first].judgment >= 0;
        for (i = first + 1; i < count && row[i].score == row[first].score; i++)
            judged += row[i].judgment >= 0;
        if ((judged && i - first > FEW) || (i < count && row[i].score > row[first].score))
            return 1;
    }
    return 0;
}

/* A score, as bits whose order as numbers is that of falling scores; and which row has it. */
typedef struct {
    uint64_t bits;
    uint32_t row;
} Key;

static uint64_t falling(double score)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    score += 0.0; /* both zeros are one */
    memcpy(&bits, &score, sizeof bits);
    return ~(bits & sign ? ~bits : bits | sign);
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6, FEWEST_KEYS = 128, MOST_KEYS = 1 << 16 };

/* Put rows in the order of their scores alone, digit by digit, the last one first: keys move, and then each row once. Of
 * scores in no order two stretches at a time would guess wrong at every other row, which takes several times as long. */
static int sort_by_score(List *list)
{
    size_t count = list->count, pass, i;
    uint32_t many[PASSES][DIGITS];
    Key *keys, *key, *other;
    Row *row = list->row;
    list->stage++;
    if (count < FEWEST_KEYS || count > MOST_KEYS || !is_to_be_sorted(row, count))
        return DONE;
    keys = key = malloc(2 * count * sizeof *keys);
    if (!keys || make_other(list) == DECLINED) {
        free(keys);
        return DECLINED;
    }
    other = keys + count;
    memset(many, 0, sizeof many);
    for (i = 0; i < count; i++) {
        key[i] = (Key){falling(row[i].score), (uint32_t)i};
        for (pass = 0; pass < PASSES; pass++)
            many[pass][key[i].bits >> pass * DIGIT_BITS & (DIGITS - 1)]++;
    }
    for (pass = 0; pass < PASSES; pass++) {
        const unsigned shift = (unsigned)pass * DIGIT_BITS;
        uint32_t *place = many[pass], before = 0;
        Key *moved = other;
        if (place[key[0].bits >> shift & (DIGITS - 1)] == count) /* all have this digit */
            continue;
        for (i = 0; i < DIGITS; i++) {
            uint32_t here = place[i];
            place[i] = before;
            before += here;
        }
        for (i = 0; i < count; i++)
            moved[place[key[i].bits >> shift & (DIGITS - 1)]++] = key[i];
        other = key;
        key = moved;
    }
    for (i = 0; i < count; i++)
        list->other[i] = row[key[i].row];
    list->row = list->other;
    list->other = row;
    free(keys);
    return DONE;
}

/* Find the judgments of all rows. */
static int look_up(const Judgments *judgments, Table table, List *list)
{
    size_t end = end_of_piece(list), i;
    for (i = list->next; i < end; i++) {
        uint32_t found = find(judgments, table, list->row[i].id, list->row[i].hash);
        if (found == LOST)
            return DECLINED;
        list->row[i].judgment = (int32_t)found - (int32_t)judgments->topics - 1;
    }
    return gone_through(list, end);
}

/* Write the judged rows down, those of the same score in order. */
static void write_down(List *list, int32_t code, Found *found)
{
    Row *row = list->row;
    size_t first, i, judged;
    for (first = 0; first < list->count; first = i) {
        judged = row[first].judgment >= 0;
        for (i = first + 1; i < list->count && row[i].score == row[first].score; i++)
            judged += row[i].judgment >= 0;
        if (i - first > 1)
            found->tied += (int64_t)(i - first);
        if (judged && i - first > 1 && i - first <= FEW) /* of more, all are sorted */
            insert(row + first, i - first);
        for (; judged && first < i; first++)
            if (row[first].judgment >= 0) {
                found->topic[found->cells] = code;
                found->rank[found->cells] = (int32_t)(first + 1);
                found->judgment[found->cells++] = row[first].judgment;
            }
    }
}

/* The topic has ended: rank its rows, and write down the judged ones. */
static int end_topic(const Judgments *judgments, List *list, int32_t code, Text topic, uint64_t hash, Found *found)
{
    Table table = judgments->table[code + 1];
    int done = list->count > INT32_MAX ? DECLINED : DONE;
    while (done == DONE && list->stage != WRITE_DOWN)
        if (list->stage == LAY_HASHES)
            done = lay_hashes(list, table);
        else if (list->stage == LOOK_UP)
            done = look_up(judgments, table, list);
        else if (list->stage == SORT_BY_SCORE)
            done = sort_by_score(list);
        else if (list->width || list->next || is_to_be_sorted(list->row, list->count))
            done = sort(list);
        else
            list->stage++;
    if (done != DONE)
        return done;
    if (topic.at)
        found->own[found->topics - 1] = (uint8_t)has(list, topic, hash);
    write_down(list, code, found);
    list->count = 0;
    list->stage = LAY_HASHES;
    return DONE;
}

/* A run that is being read. */
typedef struct {
    List list;
    char *seen; /* of each topic of the qrels, whether it has begun */
    Text topic;
    uint64_t hash; /* of the topic */
    int32_t code;  /* which topic of the qrels it is */
    size_t at;     /* how far the text was read */
} Run;

Run *cranfield_run_begin(const Judgments *judgments)
{
    Run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->code = -1;
    run->list.room = 1024;
    run->list.row = malloc(run->list.room * sizeof(Row));
    run->seen = calloc(judgments->topics + 1, 1);
    return run;
}

void cranfield_run_end(Run *run)
{
    if (!run)
        return;
    free(run->list.row);
    free(run->list.other);
    free(run->list.hash);
    free(run->seen);
    free(run);
}

/* One row more is there: see that there is room for another, in all for as many as the longest topic has. */
static int count_row(List *list)
{
    Row *larger;
    if (++list->count < list->room)
        return DONE;
    larger = realloc(list->row, 2 * list->room * sizeof *larger);
    if (!larger)
        return DECLINED;
    list->row = larger;
    list->room *= 2;
    return DONE;
}

/* Read a run, rank it and look its documents up, but for the excluded ones (NULL: none), which are in tables of the
 * same topics: about so many bytes of it, or all that is left. MORE says that something is. The arrays of topics have
 * room for as many more as there can be lines in so many bytes, those of cells for as many as there are judgments. */
int cranfield_run(Run *run, const Judgments *judgments, const Judgments *excluded, const char *data, size_t size,
                  size_t piece, int in_32_bits, Found *found)
{
    Reader text;
    Text cell[RUN_COLUMNS];
    List *list;
    const char *enough;
    int columns, done;
    if (!run || !run->list.row || !run->seen || run->at > size)
        return DECLINED;
    text = reader_of(data + run->at, size - run->at);
    enough = piece < size - run->at ? text.at + piece : text.end;
    list = &run->list;
    while (text.at < enough) {
        const char *line = text.at;
        Row *row = &list->row[list->count]; /* written in its place: to copy it would wait for what was just written */
        if ((columns = read_line(&text, cell, RUN_COLUMNS)) == 0)
            continue;
        if (columns == DECLINED || read_number(cell[4], &row->score) == DECLINED)
            return DECLINED;
        if (!run->topic.at || !same(run->topic, cell[0])) {
            double score = row->score;
            done = end_topic(judgments, list, run->code, run->topic, run->hash, found);
            if (done != DONE) {
                found->beyond |= text.beyond != 0;
                run->at = (size_t)(line - data); /* this line is read once more */
                return done;
            }
            row = list->row;
            row->score = score;
            run->topic = cell[0];
            run->hash = hash_of(run->topic);
            run->code = (int32_t)find(judgments, judgments->table[0], run->topic, run->hash) - 1;
            if (run->code < -1 || (run->code >= 0 && run->seen[run->code]++)) /* lost, or it comes back */
                return DECLINED;
            found->code[found->topics] = run->code;
            found->length[found->topics] = 0;
            found->name[found->topics] = run->topic.at - data;
            found->size[found->topics++] = (int64_t)run->topic.length;
        }
        found->length[found->topics - 1]++;
        if (run->code < 0)
            continue;
        if (in_32_bits)
            row->score = (float)row->score;
        row->id = cell[2];
        row->hash = hash_of(row->id);
        row->judgment = -1;
        if (excluded) {
            uint32_t which = find(excluded, excluded->table[run->code + 1], row->id, row->hash);
            if (which == LOST)
                return DECLINED;
            if (which) {
                found->length[found->topics - 1]--;
                found->excluded++;
                continue;
            }
        }
        if (count_row(list) == DECLINED)
            return DECLINED;
    }
    found->beyond |= text.beyond != 0;
    run->at = (size_t)(text.at - data);
    if (text.at < text.end)
        return MORE;
    return end_topic(judgments, list, run->code, run->topic, run->hash, found);
}

/* ---- Qrels ---- */

/* What stands in qrels, in the caller's arrays: stretches of lines of a topic, and each line's document and label. */
typedef struct {
    int64_t *length, *name, *size; /* of each stretch: its lines, and where the topic's name stands */
    char *ids;                     /* a line each */
    double *label;
    int64_t stretches, lines, ids_size;
    int64_t at; /* how far the text was read */
} Read;

/* Read qrels: about so many bytes, or all that is left. */
int cranfield_qrels(const char *data, size_t size, size_t piece, Read *read)
{
    Reader text = reader_of(data + read->at, size - (size_t)read->at);
    const char *enough = piece < size - (size_t)read->at ? text.at + piece : text.end;
    Text cell[QRELS_COLUMNS], topic = {NULL, 0};
    int columns;
    if (read->stretches) {
        int64_t last = read->stretches - 1;
        topic = (Text){data + read->name[last], (size_t)read->size[last]};
    }
    while (text.at < enough) {
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
    read->at = text.at - data;
    return text.at < text.end ? MORE : DONE;
}

/* ---- Runs in memory ---- */

#ifndef WITHOUT_PYTHON

/* While a topic is read, nothing is called that is written in Python: ids are str and no subclass of it, scores are
 * numbers of Python, and lists and dicts have the very types. So nothing can change meanwhile, and texts stay where
 * they are. */

static int read_id(PyObject *id, Text *text)
{
    Py_ssize_t length = 0;
    if (!PyUnicode_CheckExact(id))
        return DECLINED;
    text->at = PyUnicode_AsUTF8AndSize(id, &length);
    text->length = (size_t)length;
    if (!text->at) { /* surrogates */
        PyErr_Clear();
        return DECLINED;
    }
    return length ? DONE : DECLINED;
}

static int read_score(PyObject *value, double *score)
{
    if (PyFloat_Check(value)) /* of a subclass, such as numpy's, its own value is taken, and no method called */
        *score = PyFloat_AsDouble(value);
    else if (PyLong_CheckExact(value) || PyBool_Check(value))
        *score = PyLong_AsDouble(value);
    else
        return DECLINED;
    if (*score == -1.0 && PyErr_Occurred()) { /* too large */
        PyErr_Clear();
        return DECLINED;
    }
    return isnan(*score) ? DECLINED : DONE;
}

/* Add a document to a topic's rows. */
static int add_row(List *list, PyObject *id, PyObject *value, double otherwise, int in_32_bits)
{
    Row *row = &list->row[list->count];
    row->score = otherwise;
    row->judgment = -1;
    if (read_id(id, &row->id) == DECLINED || (value && read_score(value, &row->score) == DECLINED))
        return DECLINED;
    if (in_32_bits)
        row->score = (float)row->score;
    row->hash = hash_of(row->id);
    return count_row(list);
}

#ifdef __GNUC__
#define FETCH(object) __builtin_prefetch(object)
#else
#define FETCH(object) ((void)(object))
#endif

enum { AHEAD = 12, LONG = 64 }; /* documents that are fetched while one is read, in a list that is longer than this */

/* Read {document: score}. No document is there twice, so that no hashes need be laid. The scores of a list that was
 * sorted lie in memory in the order in which they were made; unless they are fetched ahead, each is waited for. */
static int read_dict(PyObject *documents, List *list, int in_32_bits)
{
    PyObject *id, *value, *later, *score;
    Py_ssize_t at = 0, ahead = 0;
    int is_long = PyDict_Size(documents) > LONG, fetched;
    for (fetched = 0; is_long && fetched < AHEAD && PyDict_Next(documents, &ahead, &later, &score); fetched++)
        FETCH(score);
    while (PyDict_Next(documents, &at, &id, &value)) {
        if (is_long && PyDict_Next(documents, &ahead, &later, &score)) {
            FETCH(score);
            FETCH(later);
        }
        if (add_row(list, id, value, 0, in_32_bits) == DECLINED)
            return DECLINED;
    }
    list->stage = LOOK_UP;
    return DONE;
}

/* Read [document, ...], the scores of which fall to 1, or [(document, score), ...]. */
static int read_list(PyObject *documents, List *list, int in_32_bits)
{
    Py_ssize_t length = PyList_Size(documents), i;
    int pairs = PyTuple_CheckExact(PyList_GetItem(documents, 0));
    for (i = 0; i < length; i++) {
        PyObject *id = PyList_GetItem(documents, i), *value = NULL;
        if (PyTuple_CheckExact(id) != pairs || (pairs && PyTuple_Size(id) != 2))
            return DECLINED;
        if (pairs) {
            value = PyTuple_GetItem(id, 1);
            id = PyTuple_GetItem(id, 0);
        }
        if (add_row(list, id, value, (double)(length - i), in_32_bits) == DECLINED)
            return DECLINED;
    }
    return DONE;
}

/* See that the documents of a topic that is not judged have ids; their scores are not looked at. */
static int read_unjudged(PyObject *documents)
{
    PyObject *id, *value;
    Py_ssize_t at = 0;
    Text text;
    if (!PyDict_CheckExact(documents))
        return DECLINED;
    while (PyDict_Next(documents, &at, &id, &value))
        if (read_id(id, &text) == DECLINED)
            return DECLINED;
    return DONE;
}

/* What was found of some lists, in arrays with room for as many topics as there are lists, and cells as judgments. */
typedef struct {
    Found found;
    PyObject *extra, *empty, *own; /* lists of topics: not judged; without documents; with a document of their id */
} Kept;

/* Read, rank and look up the documents of one topic. */
static int rank_topic(const Judgments *judgments, PyObject *topic, PyObject *documents, int in_32_bits, Run *run,
                      Kept *kept)
{
    static const Text no_name = {NULL, 0}; /* so that the list is not searched for it: a dict is asked below */
    int is_dict = PyDict_CheckExact(documents), done, own;
    List *list = &run->list;
    Found *found = &kept->found;
    Text name;
    uint64_t hash;
    int32_t code;
    if ((!is_dict && !PyList_CheckExact(documents)) || read_id(topic, &name) == DECLINED)
        return DECLINED;
    if (!(is_dict ? PyDict_Size(documents) : PyList_Size(documents)))
        return PyList_Append(kept->empty, topic) ? DECLINED : DONE;
    hash = hash_of(name);
    code = (int32_t)find(judgments, judgments->table[0], name, hash) - 1;
    if (code < -1) /* lost */
        return DECLINED;
    if (code < 0)
        return read_unjudged(documents) == DECLINED || PyList_Append(kept->extra, topic) ? DECLINED : DONE;
    if (run->seen[code]++) /* there would be no room for its cells */
        return DECLINED;
    if ((is_dict ? read_dict : read_list)(documents, list, in_32_bits) == DECLINED)
        return DECLINED;
    found->code[found->topics] = code;
    found->length[found->topics++] = (int64_t)list->count;
    do {
        done = end_topic(judgments, list, code, is_dict ? no_name : name, hash, found);
    } while (done == MORE);
    if (done == DECLINED)
        return DECLINED;
    own = is_dict ? PyDict_Contains(documents, topic) : found->own[found->topics - 1];
    return own < 0 || (own && PyList_Append(kept->own, topic)) ? DECLINED : DONE;
}

static PyObject *bytes_of(const void *array, int64_t count, size_t size)
{
    return PyBytes_FromStringAndSize(array, (Py_ssize_t)((size_t)count * size));
}

/* Rank topic after topic; between some of them, the caller looks at signals, and may raise an error. */
static int rank_topics(const Judgments *judgments, PyObject *topics, PyObject *lists, int in_32_bits, PyObject *look,
                       Run *run, Kept *kept)
{
    Py_ssize_t count = PyList_Size(topics), documents = 0, i;
    for (i = 0; i < count; i++) {
        PyObject *each = PyList_GetItem(lists, i), *looked;
        if (rank_topic(judgments, PyList_GetItem(topics, i), each, in_32_bits, run, kept) == DECLINED)
            return DECLINED;
        if ((documents += PyObject_Size(each)) < AT_ONCE)
            continue;
        if (!(looked = PyObject_CallNoArgs(look)))
            return DECLINED;
        Py_DECREF(looked);
        documents = 0;
    }
    return DONE;
}

/* rank(judgments, run, in_32_bits, look): rank the documents of each topic, and look them up. What was found is the
 * code of each judged topic, and its length; topic, rank and judgment of each judged document, topic by topic and by
 * rank; the topics that are not judged, those without documents, those with a document of their id; and how many
 * documents share their score. None where anything is out of the ordinary. */
static PyObject *ranked(PyObject *module, PyObject *args)
{
    PyObject *handle, *mapping, *look, *topics, *lists, *answer = NULL;
    Judgments *judgments;
    Run *run = NULL;
    Kept kept = {0};
    Found *found = &kept.found;
    int in_32_bits, done = DECLINED;
    size_t cells, rows;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOpO", &handle, &mapping, &in_32_bits, &look))
        return NULL;
    if (!(judgments = PyLong_AsVoidPtr(handle)))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    topics = PyMapping_Keys(mapping);
    lists = topics ? PyMapping_Values(mapping) : NULL;
    if (!lists || PyList_Size(topics) != PyList_Size(lists)) {
        Py_XDECREF(topics);
        Py_XDECREF(lists);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    rows = (size_t)PyList_Size(topics) + 1;
    cells = (size_t)judgments->number + 1; /* the topics among them */
    found->code = malloc(rows * sizeof *found->code);
    found->length = malloc(rows * sizeof *found->length);
    found->own = malloc(rows);
    found->topic = malloc(cells * sizeof *found->topic);
    found->rank = malloc(cells * sizeof *found->rank);
    found->judgment = malloc(cells * sizeof *found->judgment);
    kept.extra = PyList_New(0);
    kept.empty = PyList_New(0);
    kept.own = PyList_New(0);
    run = cranfield_run_begin(judgments);
    if (found->code && found->length && found->own && found->topic && found->rank && found->judgment && kept.extra &&
        kept.empty && kept.own && run && run->list.row && run->seen)
        done = rank_topics(judgments, topics, lists, in_32_bits, look, run, &kept);
    if (done == DONE)
        answer = Py_BuildValue(
            "NNNNNOOOL", bytes_of(found->code, found->topics, sizeof *found->code),
            bytes_of(found->length, found->topics, sizeof *found->length),
            bytes_of(found->topic, found->cells, sizeof *found->topic),
            bytes_of(found->rank, found->cells, sizeof *found->rank),
            bytes_of(found->judgment, found->cells, sizeof *found->judgment), kept.extra, kept.empty, kept.own,
            (long long)found->tied);
    else if (!PyErr_Occurred())
        answer = Py_NewRef(Py_None);
    cranfield_run_end(run);
    free(found->code), free(found->length), free(found->own);
    free(found->topic), free(found->rank), free(found->judgment);
    Py_XDECREF(kept.extra);
    Py_XDECREF(kept.empty);
    Py_XDECREF(kept.own);
    Py_DECREF(topics);
    Py_DECREF(lists);
    return answer;
}

static PyMethodDef methods[] = {{"rank", ranked, METH_VARARGS, "Rank lists of documents in memory."}, {0}};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}

#endif

/* ---- Which source this was made of ---- */

const char *cranfield_digest(void)
{
    return DIGEST;
}
