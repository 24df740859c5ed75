/* What the windows written in C and C++ share: their contents, and the truth that they write down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char kind[32], label[128], value[256], flag[8]; char item[8][64]; int items, chosen; } Part;

static char title[128];
static int columns = 1, count = 0;
static Part parts[32];
static FILE *truth_file;
static char truth_path[512];

static void read_contents(const char *path) {
  char line[1024];
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    char *field[5] = {"", "", "", "", ""}, *rest = line;
    line[strcspn(line, "\n")] = 0;
    for (int n = 0; n < 5 && rest; n++) field[n] = strsep(&rest, "\t");
    if (!strcmp(field[0], "title")) {
      strncpy(title, field[1], 127), columns = atoi(field[2]);
      continue;
    }
    Part *part = &parts[count++];
    strncpy(part->kind, field[0], 31), strncpy(part->label, field[1], 127), strncpy(part->value, field[2], 255);
    strncpy(part->flag, field[3], 7), part->chosen = -1;
    for (char *at = field[2]; at && *at && part->items < 8;) {
      char *item = strsep(&at, "|");
      if (*item == '*') part->chosen = part->items, item++;
      strncpy(part->item[part->items++], item, 63);
    }
  }
}

static int is(const Part *part, const char *kinds) { return strstr(kinds, part->kind) != NULL; }

static void begin_truth(const char *path) {
  snprintf(truth_path, sizeof truth_path, "%s", path);
  char part[520];
  snprintf(part, sizeof part, "%s.new", path);
  truth_file = fopen(part, "w");
  fprintf(truth_file, "origin\tscreen\n");
}

static void tell(const char *role, const char *name, int x, int y, int w, int h, const char *value, const char *states) {
  fprintf(truth_file, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", role, name, x, y, w, h, value, states);
}

static void end_truth(void) {
  char part[520];
  fclose(truth_file);
  snprintf(part, sizeof part, "%s.new", truth_path);
  rename(part, truth_path);
}
