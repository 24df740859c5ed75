"""A library in Django's admin: `site.py seed` makes its database, `site.py serve PORT` shows it."""

import sys
from pathlib import Path

import django
from django.conf import settings

settings.configure(
    DEBUG=True,
    SECRET_KEY="only for a benchmark on this machine",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=False,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path.cwd() / "library.db")}},
    INSTALLED_APPS=[
        *("django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes"),
        *("django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles"),
    ],
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
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    STATIC_URL="/static/",
)


def signed_in(get_response):
    def answer(request):
        from django.contrib.auth import login
        from django.contrib.auth.models import User

        if not request.user.is_authenticated:
            login(request, User.objects.get(username="admin"))
        return get_response(request)

    return answer


django.setup()

from django.contrib import admin  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import path  # noqa: E402


class Author(models.Model):
    name = models.CharField(max_length=100)
    born = models.DateField(null=True, blank=True)
    country = models.CharField(
        max_length=2, choices=[("FR", "France"), ("NO", "Norway"), ("JP", "Japan")], blank=True
    )

    class Meta:
        app_label = "auth"
        db_table = "author"

    def __str__(self):
        return self.name


class Genre(models.Model):
    name = models.CharField(max_length=60)

    class Meta:
        app_label = "auth"
        db_table = "genre"

    def __str__(self):
        return self.name


class Book(models.Model):
    title = models.CharField(max_length=100)
    author = models.ForeignKey(Author, models.CASCADE)
    genres = models.ManyToManyField(Genre, blank=True, db_table="book_genre")
    price = models.DecimalField(max_digits=6, decimal_places=2)
    in_print = models.BooleanField(default=True)
    notes = models.TextField(blank=True)

    class Meta:
        app_label = "auth"
        db_table = "book"

    def __str__(self):
        return self.title


@admin.register(Author)
class AuthorAdmin(admin.ModelAdmin):
    list_display = ["name", "born", "country"]
    search_fields = ["name"]
    list_filter = ["country"]


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    list_display = ["title", "author", "price", "in_print"]
    search_fields = ["title"]
    filter_horizontal = ["genres"]
    list_editable = ["price"]
    list_per_page = 8


admin.site.register(Genre)
urlpatterns = [path("admin/", admin.site.urls)]


def seed():
    from django.contrib.auth.models import User
    from django.contrib.contenttypes.models import ContentType
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Author, Genre, Book):
            editor.create_model(model)
    ContentType.objects.get_for_models(Author, Genre, Book)  # a server remembers them once it has seen them
    User.objects.create_superuser("admin", "admin@example.org", "admin")
    people = [
        ("Sigrid Undset", "1882-05-20", "NO"),
        ("Jules Verne", "1828-02-08", "FR"),
        ("Yoko Ogawa", "1962-03-30", "JP"),
    ]
    authors = [Author.objects.create(name=name, born=born, country=land) for name, born, land in people]
    for name in ("Crime", "Poetry", "Science fiction", "Travel"):
        Genre.objects.create(name=name)
    for number in range(1, 13):
        Book.objects.create(
            title=f"Collected works {number}", author=authors[number % 3], price=f"{8 + number}.50"
        )


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        seed()
    else:
        from django.core.management import call_command

        call_command("runserver", sys.argv[2], use_reloader=False)
