"""The environments pass Gymnasium's own checks, alone and as vectors, on real pages."""

from __future__ import annotations

import warnings
from typing import Any

import guiagent_eval.gym as envs
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.end_to_end.integrations.conftest import Site


def action(kind: str, at: tuple[float, float] = (0.5, 0.5), text: str = "") -> dict[str, Any]:
    """An action of the space."""
    point = np.array(at, np.float32)
    return {"kind": envs.KINDS.index(kind), "point": point, "text": text, "key": 0}


@pytest.fixture
def miniwob() -> Any:
    """A task that one click solves."""
    env = gymnasium.make("guiagent/MiniWoB-click-test-v0", render_mode="rgb_array")
    yield env
    env.close()


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["MiniWoB-click-test-v0", "Browser-v0"])
def test_the_environments_pass_the_check_of_gymnasium(name: str, site: Site) -> None:
    options = {"url": site.url} if name == "Browser-v0" else {}
    env = gymnasium.make(f"guiagent/{name}", **options)
    with env, warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*render")
        check_env(env.unwrapped, skip_render_check=True)


def test_the_reward_is_that_of_the_page(miniwob: Any) -> None:
    first, _ = miniwob.reset(seed=3)
    again, _ = miniwob.reset(seed=3)
    assert np.array_equal(first["screenshot"], again["screenshot"]) and first["task"] == again["task"]
    seen = miniwob.unwrapped._seen
    (button,) = [one for one in seen.elements if one.role == "button"]
    where = (button.box.center.x / 160, button.box.center.y / 210)
    _, reward, over, cut, _ = miniwob.step(action("click", where))
    assert reward > 0 and over and not cut
    assert miniwob.render().shape == (210, 160, 3)


@pytest.mark.nightly
def test_a_vector_of_them_steps_together() -> None:
    vector = gymnasium.make_vec("guiagent/MiniWoB-click-test-v0", num_envs=2, vectorization_mode="sync")
    try:
        seen, _ = vector.reset(seed=1)
        assert seen["screenshot"].shape == (2, 210, 160, 3)
        moves = vector.action_space.sample()
        _, rewards, *_ = vector.step(moves)
        assert rewards.shape == (2,)
    finally:
        vector.close()


@pytest.mark.nightly
def test_a_page_is_an_environment_behind_the_guard(site: Site) -> None:
    env = gymnasium.make("guiagent/Browser-v0", url=site.url)
    try:
        seen, _ = env.reset()
        assert "Press me" in seen["elements"] and env.observation_space.contains(seen)
        screen = env.unwrapped._seen  # type: ignore[attr-defined]
        for name, sent in (("Press me", True), ("Send message", False)):
            (button,) = [one for one in screen.elements if one.name == name and one.role == "button"]
            where = (button.box.center.x / 1280, button.box.center.y / 800)
            _, _, _, _, info = env.step(action("click", where))
            assert ("error" not in info) is sent
        assert site.posted == []
    finally:
        env.close()


def test_an_agent_that_says_that_it_is_done_ends_the_episode(miniwob: Any) -> None:
    miniwob.reset(seed=3)
    _, reward, over, cut, _ = miniwob.step(action("finish"))
    assert over and not cut and reward == 0.0


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_a_guest_is_an_environment_whose_reward_is_that_of_its_task() -> None:
    env = gymnasium.make("guiagent/OSWorld-v0", task="editor/add-line", size=(640, 360))
    try:
        for solved in (False, True):
            seen, info = env.reset(seed=1)
            assert info["task"] == "editor/add-line" and seen["screenshot"].shape == (360, 640, 3)
            assert seen["screenshot"].std() > 0 and env.observation_space.contains(seen)
            _, reward, over, _, _ = env.step(action("click", (0.5, 0.5)))
            assert (reward, over) == (0.0, False)
            if solved:
                env.unwrapped._episode.solve()  # type: ignore[attr-defined]
            _, reward, over, _, _ = env.step(action("finish"))
            assert (reward, over) == (float(solved), True)
    finally:
        env.close()
