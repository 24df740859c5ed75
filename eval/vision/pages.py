"""Random pages for the detector's training, as HTML; each marked element says what it is.

A page is made from a seed alone: a theme (fonts, colours, borders, sizes), a frame (bars at the sides) and blocks
(forms, tables, trees, menus, dialogs ...). What the detector is to find has `data-r`, its role, and `data-s`, its
states; `data-i` is the class of an icon. The rest is what a detector could confuse with it.
"""

# ruff: noqa: E501 - its lines are those of HTML
from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from random import Random

NOUNS = [
    "Address",
    "Amount",
    "Author",
    "Balance",
    "Bank",
    "Batch",
    "Budget",
    "Calendar",
    "Carrier",
    "Category",
    "Channel",
    "City",
    "Client",
    "Code",
    "Colour",
    "Comment",
    "Company",
    "Contact",
    "Country",
    "Currency",
    "Customer",
    "Date",
    "Delivery",
    "Department",
    "Description",
    "Discount",
    "Due",
    "Email",
    "Employee",
    "End",
    "Event",
    "Expense",
    "Fax",
    "File",
    "First",
    "Folder",
    "From",
    "Gender",
    "Group",
    "Height",
    "Home",
    "Hours",
    "Image",
    "Invoice",
    "Issue",
    "Item",
    "Job",
    "Key",
    "Kind",
    "Label",
    "Language",
    "Last",
    "Length",
    "Level",
    "Limit",
    "Line",
    "Link",
    "List",
    "Location",
    "Login",
    "Mail",
    "Manager",
    "Map",
    "Member",
    "Message",
    "Method",
    "Mobile",
    "Model",
    "Month",
    "Name",
    "Nickname",
    "Note",
    "Number",
    "Office",
    "Order",
    "Owner",
    "Page",
    "Parent",
    "Password",
    "Path",
    "Payment",
    "Period",
    "Person",
    "Phone",
    "Place",
    "Plan",
    "Port",
    "Position",
    "Postcode",
    "Price",
    "Priority",
    "Product",
    "Profile",
    "Project",
    "Quantity",
    "Question",
    "Rate",
    "Reason",
    "Recipient",
    "Region",
    "Report",
    "Request",
    "Role",
    "Room",
    "Salary",
    "Score",
    "Season",
    "Seat",
    "Section",
    "Server",
    "Service",
    "Shop",
    "Size",
    "Source",
    "Stage",
    "Start",
    "State",
    "Status",
    "Stock",
    "Street",
    "Subject",
    "Summary",
    "Supplier",
    "Surname",
    "Tag",
    "Task",
    "Tax",
    "Team",
    "Template",
    "Theme",
    "Ticket",
    "Time",
    "Title",
    "Token",
    "Topic",
    "Total",
    "Town",
    "Track",
    "Type",
    "Unit",
    "Username",
    "Valid",
    "Value",
    "Vehicle",
    "Vendor",
    "Version",
    "Visit",
    "Volume",
    "Wage",
    "Ward",
    "Website",
    "Week",
    "Weight",
    "Width",
    "Year",
    "Zone",
    "Größe",
    "Straße",
    "Prénom",
    "Ciudad",
    "Año",
    "Località",
    "Öffnung",
    "Überschrift",
    "Numéro",
    "Åben",
    "Dirección",
]
VERBS = [
    "Add",
    "Accept",
    "Apply",
    "Approve",
    "Archive",
    "Assign",
    "Back",
    "Book",
    "Browse",
    "Buy",
    "Cancel",
    "Change",
    "Check",
    "Choose",
    "Clear",
    "Close",
    "Compare",
    "Confirm",
    "Continue",
    "Copy",
    "Create",
    "Delete",
    "Deny",
    "Discard",
    "Done",
    "Download",
    "Duplicate",
    "Edit",
    "Export",
    "Filter",
    "Finish",
    "Go",
    "Help",
    "Hide",
    "Import",
    "Install",
    "Invite",
    "Join",
    "Load",
    "Login",
    "Logout",
    "Merge",
    "More",
    "Move",
    "New",
    "Next",
    "OK",
    "Open",
    "Pause",
    "Pay",
    "Play",
    "Preview",
    "Previous",
    "Print",
    "Publish",
    "Refresh",
    "Register",
    "Reject",
    "Remove",
    "Rename",
    "Reply",
    "Report",
    "Reset",
    "Restore",
    "Resume",
    "Retry",
    "Run",
    "Save",
    "Search",
    "Select",
    "Send",
    "Settings",
    "Share",
    "Show",
    "Sign",
    "Skip",
    "Sort",
    "Start",
    "Stop",
    "Submit",
    "Subscribe",
    "Sync",
    "Test",
    "Undo",
    "Update",
    "Upload",
    "Use",
    "Verify",
    "View",
    "Yes",
    "No",
    "Speichern",
    "Abbrechen",
    "Löschen",
    "Suchen",
    "Weiter",
    "Guardar",
    "Enviar",
    "Annuler",
    "Salva",
]
NAMES = [
    "Ada",
    "Ben",
    "Carla",
    "Dmitri",
    "Eva",
    "Farid",
    "Grace",
    "Hana",
    "Ivan",
    "Jana",
    "Kofi",
    "Lena",
    "Marco",
    "Nadia",
    "Omar",
    "Petra",
    "Quentin",
    "Rosa",
    "Sven",
    "Tara",
    "Umar",
    "Vera",
    "Wanda",
    "Yusuf",
    "Zoë",
    "Oslo",
    "Rome",
    "Berlin",
    "Lima",
    "Kyoto",
    "Cairo",
    "Quito",
    "Dakar",
    "Perth",
    "Leeds",
    "Łódź",
    "Malmö",
    "Honey",
    "Bread",
    "Coffee",
    "Lamp",
    "Chair",
    "Bicycle",
    "Notebook",
    "Printer",
    "Camera",
    "Kettle",
    "Garden",
    "Kitchen",
    "Attic",
    "Bridge",
    "Harbour",
    "Museum",
    "Station",
    "Forest",
    "River",
    "Meadow",
    "Silver",
    "Purple",
    "Amber",
    "Violet",
    "Basic",
    "Premium",
    "Standard",
    "Express",
    "Draft",
    "Final",
    "Open",
    "Closed",
]
PROSE = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "it",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "be",
    "this",
    "at",
    "from",
    "or",
    "have",
    "by",
    "not",
    "but",
    "what",
    "all",
    "were",
    "when",
    "we",
    "there",
    "can",
    "an",
    "your",
    "which",
    "their",
    "said",
    "if",
    "do",
    "will",
    "each",
    "about",
    "how",
    "up",
    "out",
    "them",
    "then",
    "she",
    "many",
    "some",
    "so",
    "these",
    "would",
    "other",
    "into",
    "has",
    "more",
    "her",
    "two",
    "like",
    "him",
    "see",
    "time",
    "could",
    "no",
    "make",
    "than",
    "first",
    "been",
    "its",
    "who",
    "now",
    "people",
    "my",
    "made",
    "over",
    "did",
    "down",
    "only",
    "way",
    "find",
    "use",
    "may",
    "water",
    "long",
    "little",
    "very",
    "after",
    "words",
    "called",
    "just",
    "where",
    "most",
    "know",
]
FONTS = (
    *("DejaVu Sans", "Liberation Sans", "Nimbus Sans", "DejaVu Serif", "Liberation Serif", "Noto Sans"),
    *("Cantarell", "Open Sans", "Roboto", "Lato", "Ubuntu", "URW Gothic", "P052", "Nimbus Roman"),
    *("DejaVu Sans Mono", "Liberation Mono", "Latin Modern Sans", "sans-serif", "system-ui", "serif"),
)


@dataclass
class Theme:
    """The look of one page."""

    random: Random
    dark: bool = False
    ink: str = ""
    paper: str = ""
    panel: str = ""
    line: str = ""
    accent: str = ""
    on_accent: str = ""
    faint: str = ""
    font: str = ""
    size: int = 14
    radius: int = 4
    gap: int = 8
    pad: int = 6
    choices: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        random = self.random
        self.dark = random.random() < 0.3
        hue = random.random()
        self.paper = _colour(
            hue,
            random.uniform(0, 0.15),
            random.uniform(0.06, 0.2) if self.dark else 1 - random.random() ** 2 * 0.12,
        )
        self.panel = _colour(
            hue, random.uniform(0, 0.2), random.uniform(0.12, 0.26) if self.dark else random.uniform(0.88, 1)
        )
        self.ink = _colour(
            hue, random.uniform(0, 0.2), random.uniform(0.8, 1) if self.dark else random.uniform(0, 0.3)
        )
        self.faint = _colour(hue, random.uniform(0, 0.15), random.uniform(0.45, 0.65))
        self.line = _colour(
            hue, random.uniform(0, 0.15), random.uniform(0.25, 0.5) if self.dark else random.uniform(0.5, 0.9)
        )
        accent = random.uniform(0.25, 0.6)
        self.accent = _colour(random.random(), random.uniform(0.4, 1), accent)
        self.on_accent = "#fff" if accent < 0.55 else "#111"
        self.font = random.choice(FONTS)
        self.size = random.choice((11, 12, 13, 13, 14, 14, 14, 15, 16, 16, 18))
        self.radius = random.choice((0, 0, 2, 3, 4, 4, 6, 8, 12, 20))
        self.gap = random.choice((3, 5, 8, 10, 14, 18))
        self.pad = random.choice((1, 2, 4, 6, 8, 10, 13))
        looks = {
            "field": ("outline", "outline", "outline", "underline", "filled", "inset", "native", "bare"),
            "button": ("filled", "outline", "grey", "text", "raised", "native", "pill"),
            "box": ("native", "accent", "custom", "custom", "glyph"),
            "choice": ("native", "chevron", "chevron", "boxed", "custom", "custom"),
            "tabs": ("underline", "boxed", "pills", "plain", "folder"),
            "label": ("above", "left", "left-right", "placeholder", "floating", "above"),
            "switch": ("round", "square", "inside", "thin"),
            "slider": ("native", "custom", "custom"),
            "link": ("underline", "plain", "coloured", "coloured"),
        }
        self.choices = {part: random.choice(ways) for part, ways in looks.items()}


def _colour(hue: float, saturation: float, light: float) -> str:
    rgb = colorsys.hls_to_rgb(hue, max(0.0, min(1.0, light)), saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


class PageMaker:
    """Makes the HTML of one page from its seed.

    Args:
        icons: the markup (`<svg ...>`) of the icons of each class.
        sheet: a style sheet for elements without classes, such as those of water.css; empty for none.
    """

    def __init__(self, seed: int, icons: Mapping[str, Sequence[str]], sheet: str = "") -> None:
        self.random = Random(seed)
        self.theme = Theme(self.random)
        self._icons, self._sheet = icons, sheet
        if sheet and self.random.random() < 0.7:
            native = {"field": "native", "button": "native", "box": "native", "choice": "native"}
            self.theme.choices |= native

    def page(self) -> str:
        """The whole document."""
        random = self.random
        blocks: list[Callable[[], str]] = [
            *(self.form, self.form, self.form, self.table, self.toolbar, self.tabs, self.tree, self.rows),
            *(self.prose, self.cards, self.calendar, self.settings, self.buttons, self.search, self.crumbs),
            *(self.chips, self.pages, self.listing, self.stepper, self.filters, self.keypad),
        ]
        main = "".join(random.choice(blocks)() for _ in range(random.randint(5, 14)))
        columns = random.choice(
            ("", "", "columns:2;", "display:grid;grid-template-columns:1fr 1fr;gap:20px;")
        )
        side = self.side() if random.random() < 0.4 else ""
        over = (
            random.choice((self.menu, self.dialog, self.popover, self.toast))()
            if random.random() < 0.45
            else ""
        )
        bar = self.bar() if random.random() < 0.6 else ""
        body = f'<div style="display:flex">{side}<main style="flex:1;padding:{random.randint(4, 30)}px;{columns}">{main}</main></div>'
        return (
            f"<!doctype html><meta charset=utf-8><style>{self._sheet}</style><style>{self._css()}</style>"
            f"<body>{bar}{body}{over}</body>"
        )

    def _css(self) -> str:
        t, r = self.theme, self.random
        shade = "0 1px 3px #0005" if r.random() < 0.4 else "none"
        own = (
            f"html,body{{margin:0;background:{t.paper};color:{t.ink};font:{t.size}px {t.font!r},sans-serif;max-width:none}}"
            f"input,select,textarea,button{{font:inherit}} a{{color:{t.accent}}} main{{max-width:none;margin:0}}"
            if not self._sheet or r.random() < 0.5
            else "html,body,main{max-width:none;margin:0}"
        )
        edges = {
            "outline": f"border:{r.choice((1, 1, 1, 2))}px solid {t.line};background:{r.choice((t.paper, t.panel, 'transparent'))};border-radius:{t.radius}px",
            "underline": f"border:0;border-bottom:{r.choice((1, 2))}px solid {t.line};background:transparent;border-radius:0",
            "filled": f"border:0;background:{_mix(t)};border-radius:{t.radius}px",
            "inset": f"border:2px inset {t.line};background:{t.panel}",
            "bare": f"border:0;background:{t.panel};box-shadow:0 0 0 1px {t.line}",
        }
        look = edges.get(t.choices["field"], "")
        fields = (
            f".f{{{look};color:inherit;padding:{t.pad}px {t.pad + 3}px;box-sizing:border-box}}"
            if look
            else ""
        )
        return (
            f"{own}{fields}*{{animation:none!important;transition:none!important;caret-color:transparent}}"
            f".p{{background:{t.panel};border:1px solid {t.line};border-radius:{t.radius}px;padding:{t.pad + 4}px;box-shadow:{shade}}}"
            f".off{{opacity:{r.uniform(0.35, 0.6):.2f}}} .ph{{color:{t.faint}}} label,.l{{display:inline-block}}"
            f"svg{{width:1em;height:1em;vertical-align:-.12em;flex:none}} table{{border-collapse:collapse}}"
            f"td,th{{padding:{t.pad}px {t.pad + 4}px;text-align:left;border-bottom:{r.choice((0, 1))}px solid {t.line}}}"
            f"h2,h3{{margin:{t.gap}px 0}} p{{margin:{t.gap}px 0}}"
        )

    # What stands on things

    def words(self, most: int = 3) -> str:
        return " ".join(self.random.choice(NOUNS) for _ in range(self.random.randint(1, most)))

    def value(self) -> str:
        r = self.random
        return r.choice(
            (
                lambda: r.choice(NAMES),
                lambda: f"{r.choice(NAMES)} {r.choice(NAMES)}",
                lambda: str(r.randint(0, 99999)),
                lambda: f"{r.randint(1, 31):02d}.{r.randint(1, 12):02d}.20{r.randint(10, 30)}",
                lambda: f"20{r.randint(10, 30)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}",
                lambda: f"{r.choice(NAMES).lower()}@example.org",
                lambda: f"{r.uniform(0, 999):.2f}",
                lambda: (
                    f"{r.choice(NOUNS).lower()}-{r.randint(1, 99)}.{r.choice(('txt', 'pdf', 'png', 'csv'))}"
                ),
                lambda: "•" * r.randint(4, 12),
                lambda: f"{r.choice(VERBS)} {r.choice(PROSE)} {r.choice(NOUNS).lower()}",
            )
        )()

    def sentence(self) -> str:
        words = " ".join(self.random.choice(PROSE) for _ in range(self.random.randint(4, 16)))
        return words.capitalize() + "."

    def caption(self) -> str:
        verb = self.random.choice(VERBS)
        return f"{verb} {self.random.choice(NOUNS).lower()}" if self.random.random() < 0.35 else verb

    def picture(self) -> tuple[str, str]:
        """The markup of an icon, and its class."""
        name = self.random.choice(sorted(self._icons))
        return self.random.choice(self._icons[name]), name

    # Single controls

    def mark(self, role: str, *states: str, icon: str = "") -> str:
        kept = " ".join(one for one in states if one)
        return f'data-r="{role}"' + f' data-s="{kept}"' * bool(kept) + f' data-i="{icon}"' * bool(icon)

    def icon(self, size: int = 0, *, boxed: bool | None = None) -> str:
        r, t = self.random, self.theme
        drawing, name = self.picture()
        size = size or r.choice((12, 14, 16, 16, 18, 20, 24, 24, 28, 32))
        boxed = r.random() < 0.4 if boxed is None else boxed
        look = (
            f"border:1px solid {t.line};background:{r.choice((t.panel, 'transparent', _mix(t)))}"
            if boxed
            else "border:0;background:transparent"
        )
        pad = r.choice((3, 5, 8)) if boxed else r.choice((0, 2, 5))
        colour = r.choice((t.ink, t.ink, t.faint, t.accent))
        off = r.random() < 0.07
        inner = f'<span {self.mark("icon", "disabled" * off, icon=name)} style="display:inline-flex">{drawing}</span>'
        shape = f"border-radius:{r.choice((t.radius, 99))}px;padding:{pad}px;font-size:{size}px;line-height:1;color:{colour};display:inline-flex;margin:1px"
        whole = f'<span class="{"off" * off}" style="{look};{shape}">{inner}</span>'
        if boxed:  # the whole square is the control
            inner = f'<span style="display:inline-flex">{drawing}</span>'
            whole = f'<span class="{"off" * off}" {self.mark("icon", "disabled" * off, icon=name)} style="{look};{shape}">{inner}</span>'
        return whole

    def button(self, text: str = "", look: str = "") -> str:
        r, t = self.random, self.theme
        look = look or (
            t.choices["button"]
            if r.random() < 0.7
            else r.choice(("filled", "outline", "grey", "text", "pill"))
        )
        text = text or self.caption()
        off = r.random() < 0.1
        drawn = ""
        if r.random() < 0.25:
            drawing, _ = self.picture()
            drawn = f"<span style='margin-right:.4em'>{drawing}</span>"
        arrow = " ▾" if r.random() < 0.06 else ""
        css = {
            "filled": f"background:{t.accent};color:{t.on_accent};border:1px solid {t.accent}",
            "outline": f"background:transparent;color:{t.accent};border:1px solid {r.choice((t.accent, t.line))}",
            "grey": f"background:{_mix(t)};color:{t.ink};border:1px solid {r.choice((t.line, 'transparent'))}",
            "text": f"background:transparent;color:{t.accent};border:0",
            "raised": f"background:{t.panel};color:{t.ink};border:2px outset {t.line}",
            "pill": f"background:{r.choice((t.accent, t.panel))};color:{t.ink};border:1px solid {t.line};border-radius:99px",
        }.get(look, "")
        if look == "filled" and r.random() < 0.2:
            css = css.replace(t.accent, r.choice(("#c62828", "#2e7d32", "#f9a825", "#37474f")))
        shape = (
            f"padding:{t.pad}px {t.pad * 2 + 4}px;border-radius:{99 if look == 'pill' else t.radius}px;margin:2px {r.choice((0, 2, 5))}px;"
            if css
            else ""
        )
        upper = "text-transform:uppercase;" if r.random() < 0.1 else ""
        tag = "button" if r.random() < 0.7 else "span"
        extra = " disabled" if off and tag == "button" else ""
        return f'<{tag} type=button class="{"off" * off}"{extra} {self.mark("button", "disabled" * off)} style="display:inline-block;{css};{shape}{upper}">{drawn}{escape(text)}{arrow}</{tag}>'

    def text_field(self, width: str = "", label: str = "") -> str:
        r, t = self.random, self.theme
        has_value, off = r.random() < 0.5, r.random() < 0.07
        value = self.value() if has_value else ""
        hint = (
            r.choice(("", label, self.value(), f"Enter {label.lower()}", "Search…")) if not has_value else ""
        )
        width = width or f"{r.randint(60, 420)}px"
        focus = f"outline:2px solid {t.accent};" if r.random() < 0.06 else ""
        bad = "border-color:#d32f2f;" if r.random() < 0.05 else ""
        states = ("filled" * has_value, "disabled" * off)
        kind = r.random()
        if kind < 0.15:
            rows = r.randint(2, 5)
            text = " ".join(self.sentence() for _ in range(r.randint(1, 2))) if has_value else ""
            return f'<textarea class=f {self.mark("textbox", *states)} rows={rows} style="width:{width};{focus}{bad}" placeholder="{escape(hint)}" {"disabled" * off}>{escape(text)}</textarea>'
        if kind < 0.4:
            before = (
                f"<span style='margin-right:6px'>{self.random.choice((self.picture()[0], '$', '€', '@'))}</span>"
                if r.random() < 0.3
                else ""
            )
            after = (
                f"<span style='margin-left:auto'>{self.icon(r.choice((12, 14, 16)), boxed=False)}</span>"
                if r.random() < 0.35
                else ""
            )
            shown = f"<span>{escape(value)}</span>" if has_value else f"<span class=ph>{escape(hint)}</span>"
            return f'<span class="f {"off" * off}" {self.mark("textbox", *states)} style="display:inline-flex;align-items:center;white-space:nowrap;overflow:hidden;width:{width};min-height:{t.size + 2 * t.pad + 4}px;{focus}{bad}">{before}{shown}&#8203;{after}</span>'
        typed = (
            r.choice(("text", "text", "text", "email", "password", "date", "search", "tel", "time"))
            if kind < 0.9
            else "text"
        )
        plain = value if typed not in ("date", "time") else ""
        return f'<input class=f type={typed} {self.mark("textbox", *states)} style="width:{width};{focus}{bad}" value="{escape(plain)}" placeholder="{escape(hint)}" {"disabled" * off}>'

    def spin(self) -> str:
        r, t = self.random, self.theme
        value, off = (
            r.choice((r.randint(0, 9), r.randint(10, 500), round(r.uniform(0, 9), 1))),
            r.random() < 0.06,
        )
        states = ("filled", "disabled" * off)
        if r.random() < 0.35:
            step = f'<span style="padding:{t.pad}px 9px;border:1px solid {t.line};background:{_mix(t)}" {{}}>{{}}</span>'
            field_ = f'<span {self.mark("spinbutton", *states)} class=f style="display:inline-block;width:{r.randint(30, 80)}px;text-align:center">{value}</span>'
            minus, plus = (step.format(self.mark("icon"), sign) for sign in ("−", "+"))
            return f'<span style="display:inline-flex;align-items:center">{minus}{field_}{plus}</span>'
        if r.random() < 0.5:
            arrows = f'<span style="margin-left:auto;display:flex;flex-direction:column;font-size:{max(7, t.size - 6)}px;line-height:1"><span>▲</span><span>▼</span></span>'
            return f'<span {self.mark("spinbutton", *states)} class=f style="display:inline-flex;align-items:center;width:{r.randint(50, 140)}px">{value}{arrows}</span>'
        return f'<style>.n::-webkit-inner-spin-button{{opacity:1}}</style><input class="f n" type=number {self.mark("spinbutton", *states)} value={value} style="width:{r.randint(50, 160)}px" {"disabled" * off}>'

    def drop_down(self, width: str = "") -> str:
        r, t = self.random, self.theme
        off, has_value = r.random() < 0.07, r.random() < 0.8
        text = (
            r.choice((self.value(), r.choice(NAMES), self.words(2)))
            if has_value
            else r.choice(("Select…", "Choose", "-", "Please select", ""))
        )
        width = width or f"{r.randint(60, 360)}px"
        states = ("filled" * has_value, "disabled" * off, "expanded" * (r.random() < 0.05))
        look = t.choices["choice"] if r.random() < 0.8 else "native"
        arrow = r.choice(("▾", "▼", "⌄", "∨", "⇅", *self._icons.get("down", ("▾",))))
        if look == "native":
            return f'<select {self.mark("combobox", *states)} class=f style="width:{width}" {"disabled" * off}><option>{escape(text)}</select>'
        split = f"border-left:1px solid {t.line};padding-left:6px;" if look == "boxed" else ""
        clear = "<span style='margin-left:auto' class=ph>✕</span>" if r.random() < 0.08 else ""
        body = f'<span class="{"ph" * (not has_value)}" style="overflow:hidden">{escape(text) or "&#8203;"}</span>{clear}<span style="margin-left:auto;{split}">{arrow}</span>'
        return f'<span class="f {"off" * off}" {self.mark("combobox", *states)} style="display:inline-flex;gap:6px;align-items:center;white-space:nowrap;overflow:hidden;width:{width}">{body}</span>'

    def tick(self, role: str = "checkbox", *, on: bool | None = None) -> str:
        r, t = self.random, self.theme
        on, off = r.random() < 0.45 if on is None else on, r.random() < 0.06
        states, look = ("checked" * on, "disabled" * off), t.choices["box"]
        if look in ("native", "accent"):
            accent = f"accent-color:{t.accent};" if look == "accent" else ""
            side = r.choice(("", "", f"width:{r.randint(12, 24)}px;height:{r.randint(12, 24)}px;"))
            return f'<input type={role} {self.mark(role, *states)} style="{accent}{side}" {"checked" * on} {"disabled" * off}>'
        side = r.randint(11, 22)
        if role == "radio":
            dot = (
                f'<span style="width:{side // 2}px;height:{side // 2}px;border-radius:50%;background:{t.accent}"></span>'
                * on
            )
            edge = t.accent if on and r.random() < 0.7 else t.line
            return f'<span class="{"off" * off}" {self.mark(role, *states)} style="display:inline-flex;align-items:center;justify-content:center;width:{side}px;height:{side}px;border-radius:50%;border:{r.choice((1, 2))}px solid {edge};vertical-align:middle">{dot}</span>'
        if look == "glyph":
            sign = r.choice("☑✅▣") if on else r.choice("☐▢□")
            return f'<span class="{"off" * off}" {self.mark(role, *states)} style="font-size:{side}px;line-height:1;display:inline-block">{sign}</span>'
        full = on and r.random() < 0.75
        sign = r.choice(("✓", "✔", "✕", *self._icons.get("check", ())[:6])) if on else ""
        colour = t.on_accent if full else t.accent
        fill = t.accent if full else r.choice(("transparent", t.panel))
        return f'<span class="{"off" * off}" {self.mark(role, *states)} style="display:inline-flex;align-items:center;justify-content:center;overflow:hidden;width:{side}px;height:{side}px;font-size:{side - 3}px;line-height:1;border-radius:{min(t.radius, 5)}px;border:{r.choice((1, 1, 2))}px solid {t.accent if full else t.line};background:{fill};color:{colour};vertical-align:middle">{sign}</span>'

    def switch(self) -> str:
        r, t = self.random, self.theme
        on, off, look = r.random() < 0.5, r.random() < 0.06, t.choices["switch"]
        high = r.randint(12, 26)
        wide, round_ = int(high * r.uniform(1.6, 2.2)), 3 if look == "square" else 99
        knob = high - (0 if look == "thin" else r.choice((2, 4, 6)))
        track = high // 2 if look == "thin" else high
        ground = t.accent if on else r.choice((t.faint, t.line, _mix(t)))
        said = (
            f'<span style="position:absolute;{"left" if on else "right"}:5px;font-size:{max(7, high - 9)}px;line-height:{high}px;color:{t.on_accent}">{"ON" if on else "OFF"}</span>'
            if look == "inside" and wide > 34
            else ""
        )
        left = wide - knob - (high - knob) // 2 if on else (high - knob) // 2
        return (
            f'<span class="{"off" * off}" {self.mark("switch", "checked" * on, "disabled" * off)} style="position:relative;display:inline-block;width:{wide}px;height:{high}px;vertical-align:middle">'
            f'<span style="position:absolute;left:0;top:{(high - track) // 2}px;width:{wide}px;height:{track}px;border-radius:{round_}px;background:{ground}"></span>{said}'
            f'<span style="position:absolute;left:{left}px;top:{(high - knob) // 2}px;width:{knob}px;height:{knob}px;border-radius:{round_}px;background:{r.choice(("#fff", "#fff", t.panel, t.accent if look == "thin" else "#eee"))};box-shadow:0 0 2px #0008"></span></span>'
        )

    def slider(self) -> str:
        r, t = self.random, self.theme
        wide, at = r.randint(80, 360), r.random()
        if t.choices["slider"] == "native":
            return f'<input type=range {self.mark("slider")} value={int(100 * at)} style="width:{wide}px;accent-color:{t.accent}">'
        knob, thin = r.randint(8, 22), r.randint(2, 8)
        high = max(knob, thin)
        shape = r.choice((99, 99, 2))
        return (
            f'<span {self.mark("slider")} style="position:relative;display:inline-block;width:{wide}px;height:{high}px;vertical-align:middle">'
            f'<span style="position:absolute;left:0;top:{(high - thin) // 2}px;width:100%;height:{thin}px;background:{t.line};border-radius:9px"></span>'
            f'<span style="position:absolute;left:0;top:{(high - thin) // 2}px;width:{int(100 * at)}%;height:{thin}px;background:{t.accent};border-radius:9px"></span>'
            f'<span style="position:absolute;left:{int(at * (wide - knob))}px;top:{(high - knob) // 2}px;width:{knob}px;height:{knob}px;border-radius:{shape}px;background:{r.choice((t.accent, "#fff", t.ink))};border:1px solid {t.line};box-sizing:border-box"></span></span>'
        )

    def link(self, text: str = "") -> str:
        t = self.theme
        look = t.choices["link"]
        css = f"color:{t.ink if look == 'plain' else t.accent};text-decoration:{'underline' if look == 'underline' else 'none'}"
        return f'<a {self.mark("link")} style="{css}">{escape(text or self.words(3))}</a>'

    def item(self, text: str, *states: str, before: str = "", after: str = "", css: str = "") -> str:
        r, t = self.random, self.theme
        chosen = "selected" in states
        ground = f"background:{r.choice((t.accent + '33', _mix(t)))};" if chosen else ""
        return f'<div {self.mark("item", *states)} class="{"off" if "disabled" in states else ""}" style="display:flex;align-items:center;gap:8px;padding:{t.pad}px {t.pad + 4}px;white-space:nowrap;{ground}{css}">{before}<span>{escape(text)}</span><span style="margin-left:auto"></span>{after}</div>'

    # Blocks

    def form(self) -> str:
        r, t = self.random, self.theme
        way = t.choices["label"] if r.random() < 0.85 else r.choice(("above", "left"))
        wide = r.choice(
            ("", f"{r.randint(120, 500)}px", "100%" if way in ("above", "placeholder", "floating") else "")
        )
        beside = r.randint(70, 180)
        rows = []
        for _ in range(r.randint(2, 8)):
            name = self.words(2)
            kind = r.choice(
                (
                    "text",
                    "text",
                    "text",
                    "text",
                    "drop",
                    "drop",
                    "spin",
                    "ticks",
                    "radios",
                    "switch",
                    "slider",
                )
            )
            made = {
                "text": lambda name=name: self.text_field(wide, name),
                "drop": lambda: self.drop_down(wide),
                "spin": self.spin,
                "ticks": lambda: self._options("checkbox"),
                "radios": lambda: self._options("radio"),
                "switch": self.switch,
                "slider": self.slider,
            }[kind]()
            star = r.choice(("", "", "", " *"))
            colon = r.choice(("", ":"))
            title = f"<span class=l>{escape(name)}{star}{colon}</span>"
            under = (
                f"<div class=ph style='font-size:{t.size - 2}px'>{self.sentence()}</div>"
                if r.random() < 0.12
                else ""
            )
            if way in ("left", "left-right"):
                side = "right" if way == "left-right" else "left"
                rows.append(
                    f'<div style="display:flex;align-items:center;margin:{t.gap}px 0"><span style="width:{beside}px;text-align:{side};padding-right:8px;flex:none">{title}</span>{made}{under}</div>'
                )
            elif way == "placeholder":
                rows.append(f'<div style="margin:{t.gap}px 0">{made}{under}</div>')
            elif way == "floating" and kind in ("text", "drop"):
                rows.append(
                    f'<div style="margin:{t.gap + 5}px 0;position:relative">{made}<span style="position:absolute;left:9px;top:-{t.size // 2}px;font-size:{t.size - 3}px;background:{t.paper};padding:0 3px">{escape(name)}</span></div>'
                )
            else:
                rows.append(
                    f'<div style="margin:{t.gap}px 0"><div style="margin-bottom:3px">{title}</div>{made}{under}</div>'
                )
        grid = "display:grid;grid-template-columns:1fr 1fr;gap:0 24px;" if r.random() < 0.2 else ""
        ends = "".join(
            self.button(look=look)
            for look in r.choice((("filled", "text"), ("",), ("outline", "filled"), ("", "")))
        )
        framed = "p" if r.random() < 0.3 else ""
        head = f"<h3>{escape(self.words(2))}</h3>" if r.random() < 0.4 else ""
        return f'<section class="{framed}" style="margin:10px 0">{head}<div style="{grid}">{"".join(rows)}</div><div>{ends}</div></section>'

    def _options(self, role: str) -> str:
        r = self.random
        count, chosen = r.randint(1 if role == "checkbox" else 2, 5), r.randint(0, 4)
        down = r.random() < 0.5
        gap = r.choice((3, 5, 8))
        made = []
        for n in range(count):
            on = (n == chosen) if role == "radio" else None
            text = r.choice(
                (r.choice(NAMES), self.words(2), self.sentence() if r.random() < 0.2 else self.words(1))
            )
            tick = self.tick(role, on=on)
            inner = (
                f"{tick}<span>{escape(text)}</span>"
                if r.random() < 0.94
                else f"<span>{escape(text)}</span>{tick}"
            )
            made.append(
                f'<label style="display:inline-flex;align-items:center;gap:{gap}px;margin:2px {r.randint(4, 20)}px 2px 0">{inner}</label>'
                + "<br>" * down
            )
        return f"<span>{''.join(made)}</span>"

    def table(self) -> str:
        r, t = self.random, self.theme
        columns = [self.words(1) for _ in range(r.randint(2, 6))]
        ticks, actions = r.random() < 0.35, r.choice(("", "icons", "buttons", "links", "icons"))
        sort = r.random() < 0.3
        head = "".join(f"<th>{escape(one)}{' ↕' * sort}</th>" for one in columns)
        rows = ""
        for _ in range(r.randint(2, 9)):
            cells = "".join(f"<td>{self._cell(n)}</td>" for n in range(len(columns)))
            ends = {
                "icons": lambda: "".join(
                    self.icon(r.choice((12, 14, 16, 18))) for _ in range(r.randint(1, 3))
                ),
                "buttons": lambda: "".join(self.button() for _ in range(r.randint(1, 2))),
                "links": lambda: " ".join(
                    self.link(self.random.choice(VERBS)) for _ in range(r.randint(1, 3))
                ),
            }.get(actions, lambda: "")()
            stripe = f"background:{t.panel}" if r.random() < 0.2 else ""
            rows += f"<tr style='{stripe}'>{'<td>' + self.tick() + '</td>' if ticks else ''}{cells}<td>{ends}</td></tr>"
        wide = r.choice(("100%", "auto"))
        return f"<table style='width:{wide};margin:12px 0'><tr>{'<th>' + self.tick() + '</th>' if ticks else ''}{head}<th></th></tr>{rows}</table>"

    def _cell(self, place: int) -> str:
        r = self.random
        if place == 0 and r.random() < 0.4:
            return self.link(self.value())
        if r.random() < 0.05:
            return self.switch()
        if r.random() < 0.05:
            return self.text_field("90px")
        return escape(self.value())

    def toolbar(self) -> str:
        r, t = self.random, self.theme
        size, boxed = r.choice((14, 16, 18, 20, 22, 24, 32)), r.random() < 0.3
        parts = []
        for _ in range(r.randint(4, 14)):
            parts.append(
                self.icon(size, boxed=boxed)
                if r.random() < 0.85
                else r.choice((self.drop_down(f"{r.randint(60, 140)}px"), self.button()))
            )
            if r.random() < 0.12:
                parts.append(
                    f'<span style="border-left:1px solid {t.line};height:{size}px;margin:0 4px"></span>'
                )
        return f'<div class="{r.choice(("p", ""))}" style="display:flex;flex-wrap:wrap;gap:{r.choice((0, 2, 6, 10))}px;align-items:center;margin:8px 0">{"".join(parts)}</div>'

    def tabs(self) -> str:
        r, t = self.random, self.theme
        look, count = t.choices["tabs"], r.randint(2, 6)
        chosen = r.randrange(count)
        made = ""
        for n in range(count):
            on = n == chosen
            css = {
                "underline": f"border-bottom:{r.choice((2, 3))}px solid {t.accent if on else 'transparent'};color:{t.accent if on else t.ink}",
                "boxed": f"border:1px solid {t.line};background:{t.accent if on else t.panel};color:{t.on_accent if on else t.ink}",
                "pills": f"border-radius:99px;background:{t.accent if on else 'transparent'};color:{t.on_accent if on else t.ink}",
                "plain": f"font-weight:{700 if on else 400}",
                "folder": f"border:1px solid {t.line};border-bottom:{'0' if on else '1px solid ' + t.line};border-radius:{t.radius}px {t.radius}px 0 0;background:{t.paper if on else _mix(t)}",
            }[look]
            made += f'<span {self.mark("tab", "selected" * on)} style="padding:{t.pad + 2}px {t.pad * 2 + 6}px;display:inline-block;{css}">{escape(self.words(1))}</span>'
        under = f"border-bottom:1px solid {t.line};" if look in ("underline", "folder") else ""
        return (
            f'<div style="{under}margin:10px 0;white-space:nowrap">{made}</div><div>{self.sentence()}</div>'
        )

    def tree(self) -> str:
        r = self.random
        opened, closed = r.choice((("▾", "▸"), ("▼", "▶"), ("−", "+"), ("⌄", "›")))
        drawn = r.random() < 0.5
        made, depth = "", 0
        chosen = r.randrange(12)
        for n in range(r.randint(4, 12)):
            branch, is_open = r.random() < 0.5, r.random() < 0.5
            fold = (opened if is_open else closed) if branch else "&nbsp;"
            sign = f"<span>{self.picture()[0]}</span>" if drawn else ""
            before = f'<span style="padding-left:{depth * 18}px;width:{depth * 18 + 12}px;display:inline-block">{fold}</span>{sign}'
            states = ("selected" * (n == chosen), "expanded" * (branch and is_open))
            made += self.item(
                self.words(2), *filter(None, states), before=before, css="padding-top:2px;padding-bottom:2px;"
            )
            depth = max(0, depth + (1 if branch and is_open else r.choice((0, 0, -1))))
        return f'<div class="{r.choice(("p", ""))}" style="width:{r.randint(150, 340)}px;padding:4px 0;margin:8px 0">{made}</div>'

    def rows(self) -> str:
        """A list of things with a tick, a switch or icons beside each."""
        r, t = self.random, self.theme
        kind = r.choice(("tick", "switch", "icon", "radio"))
        made = ""
        for _ in range(r.randint(2, 7)):
            first = {"tick": self.tick, "radio": lambda: self.tick("radio")}.get(kind, lambda: "")()
            last = {"switch": self.switch, "icon": lambda: self.icon(r.choice((14, 16, 20, 24)))}.get(
                kind, lambda: ""
            )()
            more = (
                f"<div class=ph style='font-size:{t.size - 2}px'>{self.sentence()}</div>"
                if r.random() < 0.4
                else ""
            )
            made += f'<div style="display:flex;align-items:center;gap:10px;padding:{t.pad}px;border-bottom:1px solid {t.line}">{first}<div>{escape(self.value())}{more}</div><span style="margin-left:auto">{last}</span></div>'
        return f'<div style="margin:10px 0;max-width:{r.randint(260, 700)}px">{made}</div>'

    def listing(self) -> str:
        r = self.random
        chosen = r.randrange(9)
        drawn = r.random() < 0.4
        made = "".join(
            self.item(
                self.value(),
                *(["selected"] if n == chosen else []),
                before=f"<span>{self.picture()[0]}</span>" if drawn else "",
            )
            for n in range(r.randint(3, 9))
        )
        return f'<div class=p style="width:{r.randint(120, 380)}px;padding:2px 0;margin:8px 0">{made}</div>'

    def prose(self) -> str:
        r = self.random
        made = " ".join(self.link() if r.random() < 0.12 else self.sentence() for _ in range(r.randint(3, 9)))
        return f"<h2>{escape(self.words(3))}</h2><p>{made}</p>"

    def cards(self) -> str:
        r, t = self.random, self.theme
        made = ""
        for _ in range(r.randint(2, 5)):
            ends = r.choice((self.button, self.link, self.icon))()
            colour = _colour(r.random(), 0.4, 0.5)
            shot = (
                f'<div style="height:{r.randint(20, 90)}px;background:linear-gradient(45deg,{colour},{t.line})"></div>'
                if r.random() < 0.4
                else ""
            )
            made += f'<div class=p style="width:{r.randint(120, 260)}px">{shot}<b>{escape(self.words(2))}</b><p>{self.sentence()}</p>{ends}</div>'
        return f'<div style="display:flex;flex-wrap:wrap;gap:{t.gap + 4}px;margin:10px 0">{made}</div>'

    def calendar(self) -> str:
        r, t = self.random, self.theme
        side, chosen = r.randint(24, 42), r.randint(1, 28)
        days = "".join(
            f'<span {self.mark("button", "selected" * (day == chosen))} style="width:{side}px;height:{side}px;line-height:{side}px;text-align:center;border-radius:{t.radius}px;{"background:" + t.accent + ";color:" + t.on_accent if day == chosen else ""}">{day}</span>'
            for day in range(1, r.choice((29, 31, 32)))
        )
        head = f'<div style="display:flex;justify-content:space-between;align-items:center">{self.icon(16)}<b>{r.choice(NOUNS)} 20{r.randint(10, 30)}</b>{self.icon(16)}</div>'
        return f'<div class=p style="display:inline-block;margin:8px 0">{head}<div style="display:grid;grid-template-columns:repeat(7,{side}px)">{days}</div></div>'

    def settings(self) -> str:
        r, t = self.random, self.theme
        made = ""
        for _ in range(r.randint(2, 6)):
            control = r.choice(
                (self.switch, self.drop_down, self.slider, self.spin, self.tick, self.button)
            )()
            made += f'<div style="display:flex;align-items:center;padding:{t.pad}px 0"><div>{escape(self.words(3))}<div class=ph style="font-size:{t.size - 2}px">{self.sentence()}</div></div><span style="margin-left:auto;padding-left:20px">{control}</span></div>'
        return f'<section style="max-width:{r.randint(300, 760)}px;margin:10px 0"><h3>{escape(self.words(2))}</h3>{made}</section>'

    def buttons(self) -> str:
        r = self.random
        return f'<div style="margin:10px 0">{"".join(self.button() for _ in range(r.randint(1, 6)))}</div>'

    def search(self) -> str:
        r = self.random
        end = r.choice((self.button, lambda: self.icon(16, boxed=True), lambda: ""))()
        return f'<div style="display:flex;gap:{r.choice((0, 4, 8))}px;align-items:center;margin:10px 0">{self.text_field(f"{r.randint(140, 500)}px", "Search")}{end}</div>'

    def crumbs(self) -> str:
        r = self.random
        return f'<div style="margin:6px 0">{r.choice((" / ", " › ", " » ", " > ")).join(self.link(self.words(1)) for _ in range(r.randint(2, 5)))}</div>'

    def chips(self) -> str:
        r, t = self.random, self.theme
        made = "".join(
            f'<span style="display:inline-flex;gap:4px;align-items:center;border-radius:99px;background:{_mix(t)};padding:2px 9px;margin:2px">{escape(self.words(1))}<span {self.mark("icon", icon="close")}>✕</span></span>'
            if r.random() < 0.6
            else f'<span style="border-radius:{t.radius}px;background:{_colour(r.random(), 0.5, 0.5)};color:#fff;padding:1px 7px;margin:2px;font-size:{t.size - 2}px">{escape(self.words(1))}</span>'
            for _ in range(r.randint(2, 7))
        )
        return f'<div style="margin:8px 0">{made}</div>'

    def pages(self) -> str:
        r, t = self.random, self.theme
        chosen = r.randint(1, 5)
        made = "".join(
            f'<span {self.mark("button", "selected" * (n == chosen))} style="padding:{t.pad}px {t.pad + 5}px;border:{r.choice((0, 1))}px solid {t.line};{"background:" + t.accent + ";color:" + t.on_accent if n == chosen else ""}">{n}</span>'
            for n in range(1, r.randint(3, 8))
        )
        return f'<div style="display:flex;gap:{r.choice((0, 3, 6))}px;align-items:center;margin:10px 0">{self.icon(14)}{made}{self.icon(14)}</div>'

    def stepper(self) -> str:
        r, t = self.random, self.theme
        made = "".join(
            f'<span style="display:inline-flex;align-items:center;gap:6px;margin-right:24px"><span style="width:22px;height:22px;line-height:22px;text-align:center;border-radius:50%;background:{t.accent};color:{t.on_accent}">{n}</span>{escape(self.words(1))}</span>'
            for n in range(1, r.randint(3, 5))
        )
        return f'<div style="margin:10px 0">{made}</div>'

    def filters(self) -> str:
        r = self.random
        made = "".join(
            r.choice(
                (
                    lambda: self.drop_down(f"{r.randint(70, 160)}px"),
                    lambda: self.text_field(f"{r.randint(80, 200)}px"),
                    self.button,
                    self.icon,
                )
            )()
            + " "
            for _ in range(r.randint(2, 6))
        )
        return (
            f'<div style="display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:8px 0">{made}</div>'
        )

    def keypad(self) -> str:
        r, t = self.random, self.theme
        side = r.randint(28, 60)
        keys = r.choice(("789÷456×123−0.=+", "123456789*0#", "qwertyuiopasdfghjkl"))
        made = "".join(
            f'<span {self.mark("button")} style="min-width:{side}px;height:{side}px;line-height:{side}px;text-align:center;border:1px solid {t.line};border-radius:{t.radius}px;background:{_mix(t)}">{key}</span>'
            for key in keys
        )
        return f'<div style="display:grid;grid-template-columns:repeat({r.choice((3, 4, 5))},{side + 4}px);gap:3px;margin:8px 0">{made}</div>'

    # What stands around, and over

    def side(self) -> str:
        r, t = self.random, self.theme
        chosen = r.randrange(8)
        drawn = r.random() < 0.6
        made = "".join(
            self.item(
                self.words(2),
                *(["selected"] if n == chosen else []),
                before=f"<span>{self.picture()[0]}</span>" if drawn else "",
            )
            for n in range(r.randint(3, 12))
        )
        return f'<nav style="width:{r.randint(130, 260)}px;flex:none;background:{t.panel};border-right:1px solid {t.line};min-height:100vh;padding:8px 0">{made}</nav>'

    def bar(self) -> str:
        r, t = self.random, self.theme
        ground = r.choice((t.accent, t.panel, t.paper))
        ink = t.on_accent if ground == t.accent else t.ink
        plain = t.choices["link"]
        t.choices["link"] = "plain"
        links = "".join(
            f'<a {self.mark("link")} style="color:{ink};text-decoration:none;padding:4px 8px">{escape(self.words(1))}</a>'
            for _ in range(r.randint(0, 6))
        )
        if r.random() < 0.3:
            links = "".join(
                f'<span {self.mark("item")} style="color:{ink};padding:4px 9px">{one}</span>'
                for one in ("File", "Edit", "View", "Insert", "Tools", "Window", "Help")[: r.randint(3, 7)]
            )
        t.choices["link"] = plain
        old, t.ink = t.ink, ink
        icons = "".join(self.icon(r.choice((16, 20, 24)), boxed=False) for _ in range(r.randint(0, 4)))
        t.ink = old
        find = self.text_field(f"{r.randint(120, 300)}px", "Search") if r.random() < 0.3 else ""
        return f'<header style="display:flex;align-items:center;gap:8px;background:{ground};color:{ink};padding:{r.randint(2, 14)}px 14px;border-bottom:1px solid {t.line};white-space:nowrap"><b>{escape(self.words(1))}</b>{links}<span style="margin-left:auto;display:flex;align-items:center;color:{t.ink}">{find}</span>{icons}</header>'

    def _overlay(self, inner: str, *, wide: int, veil: bool = False, pad: int = 4) -> str:
        r, t = self.random, self.theme
        back = '<div style="position:fixed;inset:0;background:#0008;z-index:8"></div>' if veil else ""
        return f'{back}<div style="position:fixed;z-index:9;left:{r.randint(5, 60)}vw;top:{r.randint(4, 50)}vh;width:{wide}px;background:{t.panel};border:1px solid {t.line};border-radius:{t.radius}px;box-shadow:0 4px 18px #0006;padding:{pad}px">{inner}</div>'

    def menu(self) -> str:
        r, t = self.random, self.theme
        drawn, made = r.random() < 0.4, ""
        for _ in range(r.randint(3, 12)):
            before = (
                f"<span style='width:1.2em'>{self.picture()[0]}</span>"
                if drawn and r.random() < 0.8
                else "<span style='width:1.2em'></span>" * drawn
            )
            ticked, off = r.random() < 0.08, r.random() < 0.12
            before += "✓" * ticked
            after = r.choice(("", "", "", "▸", f"<span class=ph>Ctrl+{r.choice('ABCDEFXYZ')}</span>"))
            states = [
                one for one in ("checked" * ticked, "disabled" * off, "selected" * (r.random() < 0.08)) if one
            ]
            made += self.item(self.caption(), *states, before=before, after=after)
            made += (
                f'<div style="border-top:1px solid {t.line};margin:3px 0"></div>' if r.random() < 0.15 else ""
            )
        return self._overlay(made, wide=r.randint(120, 320), pad=2)

    def dialog(self) -> str:
        r = self.random
        body = r.choice((self.form, self.prose, lambda: f"<p>{self.sentence()}</p>", self.listing))()
        ends = "".join(self.button() for _ in range(r.randint(1, 3)))
        close = (
            f'<span style="margin-left:auto">{self.icon(16, boxed=False)}</span>' if r.random() < 0.7 else ""
        )
        inner = f'<div style="display:flex;align-items:center"><b>{escape(self.words(3))}</b>{close}</div>{body}<div style="text-align:{r.choice(("right", "left", "center"))}">{ends}</div>'
        return self._overlay(inner, wide=r.randint(240, 560), veil=r.random() < 0.6, pad=r.randint(8, 24))

    def popover(self) -> str:
        inner = self.random.choice((self.calendar, self.filters, self.rows, self.listing, self.search))()
        return self._overlay(inner, wide=self.random.randint(200, 420), pad=8)

    def toast(self) -> str:
        ends = self.random.choice((lambda: self.icon(14, boxed=False), self.link, self.button))()
        return self._overlay(
            f'<div style="display:flex;gap:8px;align-items:center">{self.sentence()}{ends}</div>',
            wide=self.random.randint(200, 420),
            pad=10,
        )


def _mix(theme: Theme) -> str:
    return "#ffffff1f" if theme.dark else "#0000000f"
