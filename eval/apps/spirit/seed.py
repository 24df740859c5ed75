"""Makes a Spirit forum in the current folder, with a moderator who is signed in, categories and topics."""

import os
import subprocess
import sys
from pathlib import Path

SIGNED_IN = """
def signed_in(get_response):
    def answer(request):
        from django.contrib.auth import get_user_model, login

        if not request.user.is_authenticated:
            user = get_user_model().objects.get(username="kim")
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return get_response(request)

    return answer
"""

environment = {**os.environ, "PATH": f"{sys.argv[1]}{os.pathsep}{os.environ['PATH']}"}
subprocess.run(
    [f"{sys.argv[1]}/spirit", "startproject", "club"], check=True, env=environment, stdout=subprocess.DEVNULL
)
os.chdir("club")
Path("club/signed.py").write_text(SIGNED_IN)
with Path("club/settings/dev.py").open("a") as settings:
    settings.write('\nMIDDLEWARE.append("club.signed.signed_in")\nALLOWED_HOSTS = ["*"]\n')
os.environ["DJANGO_SETTINGS_MODULE"] = "club.settings.dev"
sys.path.insert(0, str(Path.cwd()))

import django  # noqa: E402

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402

call_command("spiritinstall", verbosity=0)
user = get_user_model().objects.create_superuser("kim", "kim@club.example", "kim")
user.st.is_moderator = user.st.is_administrator = True
user.st.save()

from spirit.category.models import Category  # noqa: E402
from spirit.comment.models import Comment  # noqa: E402
from spirit.topic.models import Topic  # noqa: E402

rides = Category.objects.create(title="Rides", description="Where we go")
Category.objects.create(title="Repairs", description="What broke")
for title in ("Sunday along the river", "Night ride in June"):
    topic = Topic.objects.create(user=user, category=rides, title=title)
    Comment.objects.create(user=user, topic=topic, comment="Who comes?", comment_html="<p>Who comes?</p>")
