"""A site around django-todo: `site.py PLACE seed` makes its database, `site.py PLACE serve PORT` shows it."""

import sys
from datetime import date
from pathlib import Path

import django
from django.conf import settings

HERE, PARTS = Path(__file__).parent, Path(sys.argv[1]) / "node_modules"
PROCESSORS = "django.template.context_processors", "django.contrib"

settings.configure(
    DEBUG=True,
    SECRET_KEY="only for a benchmark on this machine",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=False,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path.cwd() / "todo.db")}},
    INSTALLED_APPS=[
        *("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"),
        *("django.contrib.messages", "django.contrib.staticfiles", "django.contrib.sites"),
        *("dal", "dal_select2", "todo"),
    ],
    SITE_ID=1,
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        f"{__name__}.signed_in",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [str(HERE / "templates")],
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    f"{PROCESSORS[0]}.request",
                    f"{PROCESSORS[1]}.auth.context_processors.auth",
                    f"{PROCESSORS[1]}.messages.context_processors.messages",
                ]
            },
        }
    ],
    STATIC_URL="/static/",
    STATICFILES_DIRS=[
        ("bootstrap", str(PARTS / "bootstrap" / "dist")),
        ("jquery", str(PARTS / "jquery" / "dist")),
    ],
    MEDIA_ROOT=str(Path.cwd() / "media"),
    MEDIA_URL="/media/",
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    LOGIN_URL="/",
)


def signed_in(get_response):
    def answer(request):
        from django.contrib.auth import login
        from django.contrib.auth.models import User

        if not request.user.is_authenticated:
            login(request, User.objects.get(username="ruth"))
        return get_response(request)

    return answer


django.setup()

from django.shortcuts import redirect  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [path("", lambda request: redirect("/todo/")), path("todo/", include("todo.urls"))]

LISTS = {
    "Garden": [
        ("Prune the apple trees", 3, "2026-12-05"),
        ("Repair the water pump", 1, "2026-11-02"),
        ("Order seeds", 2, "2027-01-15"),
        ("Paint the shed", 4, None),
    ],
    "Office": [
        ("Write the newsletter", 1, "2026-12-01"),
        ("Pay the insurance", 2, "2026-12-20"),
        ("Renew the lease", 3, None),
    ],
    "Summer party": [
        ("Book the band", 1, "2027-05-01"),
        ("Borrow benches", 2, "2027-06-10"),
    ],
}


def seed():
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from todo.models import Comment, Task, TaskList

    call_command("migrate", verbosity=0)
    board = Group.objects.create(name="Board")
    people = [
        User.objects.create_user(
            name, f"{name}@example.org", name, is_staff=True, first_name=name.title(), last_name=family
        )
        for name, family in (("ruth", "Weber"), ("omar", "Haddad"), ("pavel", "Novak"))
    ]
    people[0].is_superuser = True
    people[0].save()
    for one in people:
        one.groups.add(board)
    for name, tasks in LISTS.items():
        made = TaskList.objects.create(name=name, slug=name.lower().replace(" ", "-"), group=board)
        for title, priority, due in tasks:
            Task.objects.create(
                title=title,
                task_list=made,
                priority=priority,
                due_date=date.fromisoformat(due) if due else None,
                created_by=people[0],
                created_date=date(2026, 10, 1),
            )
    pump = Task.objects.get(title="Repair the water pump")
    pump.note = "It leaks at the lower joint."
    pump.save()
    pump.assigned_to.add(people[1])
    said = {"body": "I have the spare part.", "date": "2026-10-12T10:00"}
    Comment.objects.create(author=people[1], task=pump, **said)


if __name__ == "__main__":
    if sys.argv[2] == "seed":
        seed()
    else:
        from django.core.management import call_command

        call_command("runserver", sys.argv[3], use_reloader=False)
