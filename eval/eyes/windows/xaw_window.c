/* A window in Athena widgets (Xaw). */
#include <X11/Shell.h>
#include <X11/Xaw/AsciiText.h>
#include <X11/Xaw/Command.h>
#include <X11/Xaw/Form.h>
#include <X11/Xaw/Label.h>
#include <X11/Xaw/MenuButton.h>
#include <X11/Xaw/Toggle.h>
#include "xt_parts.h"

int main(int argc, char **given) {
  XtAppContext context;
  char *none[] = {"form", NULL}, *dark[] = {"*background: #303030", "*foreground: #f0f0f0", "*borderColor: #909090", NULL};
  int one = 1;
  read_contents(given[3]);
  begin_truth(given[4]);
  Widget top = XtVaAppInitialize(&context, "Form", NULL, 0, &one, none, strcmp(given[2], "dark") ? NULL : dark, XtNtitle, title, NULL);
  Widget form = XtVaCreateManagedWidget("form", formWidgetClass, top, XtNdefaultDistance, 8, NULL), above = NULL;
  for (int n = 0; n < count; n++) {
    Part *p = &parts[n];
    const char *states = !strcmp(p->flag, "on") ? "checked" : !strcmp(p->flag, "off") ? "disabled" : "";
    Widget first = NULL, made = NULL;
    if (is(p, "textbox search password number textarea select")) {
      first = XtVaCreateManagedWidget("label", labelWidgetClass, form, XtNlabel, p->label, XtNfromVert, above, XtNborderWidth, 0, XtNwidth, 140, XtNresizable, False, XtNjustify, XtJustifyLeft, NULL);
      if (is(p, "select")) {
        made = XtVaCreateManagedWidget("choice", menuButtonWidgetClass, form, XtNlabel, p->item[p->chosen], XtNfromVert, above, XtNfromHoriz, first, XtNwidth, 160, NULL);
        note("combobox", p->label, made, p->item[p->chosen], "");
      } else {
        made = XtVaCreateManagedWidget("text", asciiTextWidgetClass, form, XtNstring, p->value, XtNeditType, XawtextEdit, XtNfromVert, above, XtNfromHoriz, first, XtNwidth, 260, NULL);
        note("textbox", p->label, made, p->value, "");
      }
    } else if (is(p, "checkbox switch")) {
      first = made = XtVaCreateManagedWidget("toggle", toggleWidgetClass, form, XtNlabel, p->label, XtNstate, !strcmp(p->flag, "on"), XtNfromVert, above, NULL);
      note("checkbox", p->label, made, "", states);
    } else if (is(p, "primary button link menu")) {
      first = made = XtVaCreateManagedWidget("button", commandWidgetClass, form, XtNlabel, p->label, XtNfromVert, above, NULL);
      note("button", p->label, made, "", states);
    } else if (is(p, "toolbar dialog tabs radios")) {
      for (int k = 0; k < p->items; k++) {
        Widget next = XtVaCreateManagedWidget("item", is(p, "radios") ? toggleWidgetClass : commandWidgetClass, form, XtNlabel, p->item[k], XtNfromVert, above, XtNfromHoriz, made, NULL);
        if (is(p, "radios") && k == p->chosen) XtVaSetValues(next, XtNstate, True, NULL);
        note(is(p, "radios") ? "radio" : "button", p->item[k], next, "", is(p, "radios") && k == p->chosen ? "checked" : "");
        first = first ? first : next, made = next;
      }
      made = NULL;
    }
    if (made && !strcmp(p->flag, "off")) XtSetSensitive(made, False);
    above = first ? first : above;
  }
  XtRealizeWidget(top);
  XtAppAddTimeOut(context, 1500, write_truth, NULL);
  XtAppMainLoop(context);
}
