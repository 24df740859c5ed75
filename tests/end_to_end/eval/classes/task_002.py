"""A choice that only the user can make; a float is its score."""


class Colour:
    id = "002"
    instruction = "Write my favourite colour into colour.txt of my home folder; ask me"

    def __init__(self):
        self.user_simulator = {"knowledge": "My favourite colour is green."}

    def setup(self, setup_controller, env):
        env.guest.run("rm -f /home/user/colour.txt")

    def evaluate(self, env):
        return float((env.guest.read("/home/user/colour.txt") or b"").strip() == b"green")
