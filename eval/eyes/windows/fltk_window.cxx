// A window in FLTK, in one of its schemes.
#include <FL/Fl.H>
#include <FL/Fl_Button.H>
#include <FL/Fl_Check_Button.H>
#include <FL/Fl_Choice.H>
#include <FL/Fl_Hor_Slider.H>
#include <FL/Fl_Input.H>
#include <FL/Fl_Multiline_Input.H>
#include <FL/Fl_Return_Button.H>
#include <FL/Fl_Round_Button.H>
#include <FL/Fl_Secret_Input.H>
#include <FL/Fl_Spinner.H>
#include <FL/Fl_Tabs.H>
#include <FL/Fl_Window.H>
#include "parts.h"

struct Noted { const char *role, *name; Fl_Widget *widget; const char *value, *states; };
static Noted noted[64];
static int notes = 0;

template <class T> static T *note(const char *role, const char *name, T *widget, const char *value = "", const char *states = "") {
  noted[notes++] = {role, name, widget, value, states};
  return widget;
}

static void write_truth(void *window) {
  Fl_Window *of = (Fl_Window *)window;
  for (int n = 0; n < notes; n++) {
    Fl_Widget *one = noted[n].widget;
    tell(noted[n].role, noted[n].name, of->x_root() + one->x(), of->y_root() + one->y(), one->w(), one->h(), noted[n].value, noted[n].states);
  }
  end_truth();
}

int main(int, char **given) {
  read_contents(given[3]);
  begin_truth(given[4]);
  if (!strcmp(given[2], "dark")) Fl::background(50, 50, 50), Fl::background2(30, 30, 30), Fl::foreground(235, 235, 235);
  Fl::scheme(given[1]);
  Fl_Window *window = new Fl_Window(60, 40, columns * 400 + 40, ((count + columns - 1) / columns) * 62 + 40, title);
  for (int n = 0; n < count; n++) {
    Part *p = &parts[n];
    int left = 20 + (n % columns) * 400, x = left + 120, y = 20 + (n / columns) * 62;
    const char *states = !strcmp(p->flag, "on") ? "checked" : !strcmp(p->flag, "off") ? "disabled" : "";
    Fl_Widget *made = NULL;
    if (is(p, "textbox search")) {
      Fl_Input *one = new Fl_Input(x, y, 220, 28, p->label);
      one->value(p->value);
      note("textbox", p->label, one, p->value);
    } else if (is(p, "password")) {
      Fl_Secret_Input *one = new Fl_Secret_Input(x, y, 220, 28, p->label);
      one->value(p->value);
      note("textbox", p->label, one);
    } else if (is(p, "textarea")) {
      Fl_Multiline_Input *one = new Fl_Multiline_Input(x, y, 220, 50, p->label);
      one->value(p->value);
      note("textbox", p->label, one, p->value);
    } else if (is(p, "number")) {
      Fl_Spinner *one = new Fl_Spinner(x, y, 80, 28, p->label);
      one->value(atoi(p->value));
      note("spinbutton", p->label, one, p->value);
    } else if (is(p, "select")) {
      Fl_Choice *one = new Fl_Choice(x, y, 180, 28, p->label);
      for (int k = 0; k < p->items; k++) one->add(p->item[k]);
      one->value(p->chosen);
      note("combobox", p->label, one, p->item[p->chosen]);
    } else if (is(p, "checkbox switch")) {
      Fl_Check_Button *one = new Fl_Check_Button(left, y, 240, 28, p->label);
      one->value(!strcmp(p->flag, "on"));
      made = note("checkbox", p->label, one, "", states);
    } else if (is(p, "radios")) {
      for (int k = 0; k < p->items; k++) {
        Fl_Round_Button *one = new Fl_Round_Button(left + k * 115, y, 110, 28, p->item[k]);
        one->value(k == p->chosen);
        note("radio", p->item[k], one, "", k == p->chosen ? "checked" : "");
      }
    } else if (is(p, "slider")) {
      Fl_Hor_Slider *one = new Fl_Hor_Slider(x, y, 220, 26, p->label);
      one->bounds(0, 100), one->value(atoi(p->value)), one->align(FL_ALIGN_LEFT);
      note("slider", p->label, one, p->value);
    } else if (is(p, "primary")) {
      made = note("button", p->label, new Fl_Return_Button(left, y, 150, 30, p->label), "", states);
    } else if (is(p, "button link menu")) {
      made = note("button", p->label, new Fl_Button(left, y, 150, 30, p->label), "", states);
    } else if (is(p, "toolbar dialog tabs")) {
      for (int k = 0; k < p->items; k++) note("button", p->item[k], new Fl_Button(left + k * 120, y, 112, 30, p->item[k]));
    }
    if (made && !strcmp(p->flag, "off")) made->deactivate();
  }
  window->end();
  window->show();
  Fl::add_timeout(1.5, write_truth, window);
  return Fl::run();
}
