"""Two phases on one guest: the second asks for something that was made in the first."""


def draft_points(env, name):
    return 0.5 * (env.guest.read(f"/home/user/{name}") == b"draft\n")


class Phases:
    id = "004"
    instruction = "Write drafts into a file, then rename it"

    def setup(self, env):
        env.guest.run("rm -f /home/user/draft.txt /home/user/final.txt")

    def get_phases(self):
        return [
            {
                "name": "draft",
                "instruction": "In the terminal, write draft into draft.txt of my home folder",
                "commands": 'open "Xfce Terminal", type "echo draft > draft.txt", press Enter, wait 1 second',
                "evaluate": lambda env: draft_points(env, "draft.txt"),
                "gate_min_score": 0.5,
            },
            {
                "name": "final",
                "instruction": "Now rename it to final.txt",
                "commands": 'type "mv draft.txt final.txt", press Enter, wait 1 second',
                "evaluate": lambda env: draft_points(env, "final.txt"),
            },
        ]

    def evaluate(self, env):
        raise AssertionError("the phases are scored, not the task as a whole")
