"""Label Studio with two small projects: `site.py seed` makes its data, `site.py PORT` shows them."""

import os
import sys
from pathlib import Path

os.environ.update(
    LABEL_STUDIO_BASE_DATA_DIR=str(Path.cwd()),
    LATEST_VERSION_CHECK="0",
    COLLECT_ANALYTICS="0",
    SENTRY_DSN="",
    SSRF_PROTECTION_ENABLED="0",
    FRONTEND_SENTRY_DSN="",
    LABEL_STUDIO_USERNAME="ruth@example.org",
    LABEL_STUDIO_PASSWORD="only-for-a-benchmark",
)

from label_studio import server

sys.path.insert(0, server.LS_PATH)
sys.modules["benchmark_site"] = sys.modules[__name__]
os.environ["DJANGO_SETTINGS_MODULE"] = "label_studio.core.settings.label_studio"

from django.conf import settings  # noqa: E402

settings.MIDDLEWARE.append("benchmark_site.signed_in")

CHOICES = """<View>
  <Text name="text" value="$text"/>
  <Choices name="mood" toName="text" choice="single" showInLine="true">
    <Choice value="Praise"/><Choice value="Complaint"/><Choice value="Question"/>
  </Choices>
</View>"""
TEXTS = (
    "The bread was still warm. Thank you!",
    "My parcel arrived two weeks late.",
    "Do you sell gift vouchers?",
    "The phone is always busy.",
    "Best coffee in town.",
    "When do you open on Sundays?",
)


def signed_in(get_response):
    def answer(request):
        from django.contrib.auth import get_user_model, login

        if not request.user.is_authenticated and (user := get_user_model().objects.first()) is not None:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return get_response(request)

    return answer


def seed():
    server._setup_env()
    server._apply_database_migrations()
    from django.test import Client
    from users.models import User

    arguments = server.parse_input_args(["init"])
    server._create_user(arguments, {})
    user = User.objects.get(email=os.environ["LABEL_STUDIO_USERNAME"])
    client = Client()
    client.force_login(user)
    for title, texts in (("Customer letters", TEXTS), ("Shop names", ("Corner Bakery", "Blue Door Books"))):
        project = {"title": title, "label_config": CHOICES}
        made = client.post("/api/projects/", project, content_type="application/json").json()
        tasks = [{"text": text} for text in texts]
        client.post(f"/api/projects/{made['id']}/import", tasks, content_type="application/json")


if sys.argv[1] == "seed":
    seed()
else:
    here = ["--port", sys.argv[1], "--internal-host", "127.0.0.1"]
    sys.argv = ["label-studio", "start", "--no-browser", *here]
    server.main()
