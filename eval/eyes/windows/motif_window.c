/* A window in Motif. */
#include <Xm/Xm.h>
#include <Xm/Form.h>
#include <Xm/Label.h>
#include <Xm/PushB.h>
#include <Xm/RowColumn.h>
#include <Xm/Scale.h>
#include <Xm/Text.h>
#include <Xm/TextF.h>
#include <Xm/ToggleB.h>
#include <Xm/BulletinB.h>
#include <Xm/ComboBox.h>
#include "xt_parts.h"

static Widget make(WidgetClass kind, Widget parent, int x, int y, int w, int h, const char *text) {
  XmString label = XmStringCreateLocalized((char *)text);
  Widget made = XtVaCreateManagedWidget("one", kind, parent, XmNx, x, XmNy, y, XmNlabelString, label, NULL);
  if (w) XtVaSetValues(made, XmNrecomputeSize, False, XmNwidth, w, XmNheight, h, NULL);
  XmStringFree(label);
  return made;
}

int main(int argc, char **given) {
  XtAppContext context;
  char *none[] = {"form", NULL}, *dark[] = {"*background: #303030", "*foreground: #f0f0f0", NULL};
  int one = 1;
  read_contents(given[3]);
  begin_truth(given[4]);
  Widget top = XtVaAppInitialize(&context, "Form", NULL, 0, &one, none, strcmp(given[2], "dark") ? NULL : dark, XmNtitle, title, NULL);
  Widget board = XtVaCreateManagedWidget("board", xmBulletinBoardWidgetClass, top, XmNresizePolicy, XmRESIZE_ANY, NULL);
  for (int n = 0; n < count; n++) {
    Part *p = &parts[n];
    int left = 20 + (n % columns) * 420, x = left + 120, y = 20 + (n / columns) * 66;
    const char *states = !strcmp(p->flag, "on") ? "checked" : !strcmp(p->flag, "off") ? "disabled" : "";
    Widget made = NULL;
    if (is(p, "textbox search password number textarea select slider")) make(xmLabelWidgetClass, board, left, y + 6, 0, 0, p->label);
    if (is(p, "textbox search number")) {
      made = make(xmTextFieldWidgetClass, board, x, y, 230, 32, "");
      XmTextFieldSetString(made, p->value);
      note("textbox", p->label, made, p->value, "");
    } else if (is(p, "textarea")) {
      made = XtVaCreateManagedWidget("text", xmTextWidgetClass, board, XmNx, x, XmNy, y, XmNeditMode, XmMULTI_LINE_EDIT, XmNrows, 2, XmNcolumns, 28, NULL);
      XmTextSetString(made, p->value);
      note("textbox", p->label, made, p->value, "");
    } else if (is(p, "select")) {
      XmString items[8];
      for (int k = 0; k < p->items; k++) items[k] = XmStringCreateLocalized(p->item[k]);
      made = XtVaCreateManagedWidget("combo", xmComboBoxWidgetClass, board, XmNx, x, XmNy, y, XmNcomboBoxType, XmDROP_DOWN_LIST,
        XmNitems, items, XmNitemCount, p->items, XmNselectedPosition, p->chosen, NULL);
      note("combobox", p->label, made, p->item[p->chosen], "");
    } else if (is(p, "slider")) {
      made = XtVaCreateManagedWidget("scale", xmScaleWidgetClass, board, XmNx, x, XmNy, y, XmNorientation, XmHORIZONTAL, XmNwidth, 200, XmNvalue, atoi(p->value), NULL);
      note("slider", p->label, made, p->value, "");
    } else if (is(p, "checkbox switch")) {
      made = make(xmToggleButtonWidgetClass, board, left, y, 0, 0, p->label);
      XmToggleButtonSetState(made, !strcmp(p->flag, "on"), False);
      note("checkbox", p->label, made, "", states);
    } else if (is(p, "radios")) {
      Widget row = XmCreateRadioBox(board, "radios", NULL, 0);
      XtVaSetValues(row, XmNx, left, XmNy, y, XmNorientation, XmHORIZONTAL, NULL);
      XtManageChild(row);
      for (int k = 0; k < p->items; k++) {
        Widget toggle = make(xmToggleButtonWidgetClass, row, 0, 0, 0, 0, p->item[k]);
        XmToggleButtonSetState(toggle, k == p->chosen, False);
        note("radio", p->item[k], toggle, "", k == p->chosen ? "checked" : "");
      }
    } else if (is(p, "primary button link menu")) {
      made = make(xmPushButtonWidgetClass, board, left, y, 0, 0, p->label);
      note("button", p->label, made, "", states);
    } else if (is(p, "toolbar dialog tabs")) {
      for (int k = 0; k < p->items; k++) note("button", p->item[k], make(xmPushButtonWidgetClass, board, left + k * 130, y, 120, 32, p->item[k]), "", "");
    }
    if (made && !strcmp(p->flag, "off")) XtSetSensitive(made, False);
  }
  XtRealizeWidget(top);
  XtAppAddTimeOut(context, 1500, write_truth, NULL);
  XtAppMainLoop(context);
}
