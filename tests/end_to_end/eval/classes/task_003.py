"""Lines that are added one by one: what is done twice, or left out after a break, shows in the file."""

LINES = ["one", "two", "three", "four"]


class Lines:
    id = "003"
    instruction = "In the terminal, add the lines one, two, three and four to lines.txt of my home folder"
    commands = 'open "Xfce Terminal"' + "".join(
        f', type "echo {line} >> lines.txt", press Enter, wait 1 second' for line in LINES
    )

    def setup(self, env):
        env.guest.write("/home/user/lines.txt", b"zero\n")

    def evaluate(self, env):
        return float((env.guest.read("/home/user/lines.txt") or b"").decode().split() == ["zero", *LINES])
