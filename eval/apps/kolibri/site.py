"""A school for Kolibri: classes with their learners and coaches, in the first facility."""

from kolibri.main import initialize

initialize()

from kolibri.core.auth.models import Classroom, Facility, FacilityUser, LearnerGroup  # noqa: E402

LEARNERS = {
    "Class 5a": ("Anna Berger", "Omar Haddad", "Lucy Chen"),
    "Class 6b": ("Tom Fischer", "Grace Mensah"),
}
school = Facility.objects.get()
for title, names in LEARNERS.items():
    room = Classroom.objects.create(name=title, parent=school)
    for name in names:
        room.add_member(
            FacilityUser.objects.create(
                username=name.split()[0].lower(), full_name=name, facility=school, password="NOT_SPECIFIED"
            )
        )
    LearnerGroup.objects.create(name=f"Readers of {title[-2:]}", parent=room)
for username, name in (("paul", "Paul Ivanov"), ("maria", "Maria Silva")):
    FacilityUser.objects.create(username=username, full_name=name, facility=school, password="NOT_SPECIFIED")
Classroom.objects.get(name="Class 5a").add_coach(FacilityUser.objects.get(username="paul"))
