/* What the windows of the X Toolkit note of their widgets, for the file with the truth. */
#include <X11/Intrinsic.h>
#include <X11/StringDefs.h>
#include "parts.h"

static struct { const char *role, *name, *value, *states; Widget widget; } noted[64];
static int notes = 0;

static void note(const char *role, const char *name, Widget widget, const char *value, const char *states) {
  noted[notes].role = role, noted[notes].name = name, noted[notes].value = value, noted[notes].states = states;
  noted[notes++].widget = widget;
}

static void write_truth(XtPointer unused, XtIntervalId *id) {
  for (int n = 0; n < notes; n++) {
    Position x, y;
    Dimension w, h;
    XtVaGetValues(noted[n].widget, XtNwidth, &w, XtNheight, &h, NULL);
    XtTranslateCoords(noted[n].widget, 0, 0, &x, &y);
    tell(noted[n].role, noted[n].name, x, y, w, h, noted[n].value, noted[n].states);
  }
  end_truth();
}
