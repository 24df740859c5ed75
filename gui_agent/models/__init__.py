"""Vision language models: one vocabulary for requests and replies, four wire formats, a table of families."""

from typing import Any

from gui_agent.doors import find_name, names_of
from gui_agent.models.budget import Budget, MeteredModel, Price, Prices, Spending, meter, read_prices
from gui_agent.models.cassette import Tape
from gui_agent.models.probe import probe
from gui_agent.models.remote import RemoteModel, RetryPolicy, describe_model, open_model

_HOMES = {
    "codec": "ModelView prepare",
    "dialects": "Dialect PointerContext",
    "dialects.pyautogui": "read",
    "families": "Family family",
    "pictures": "NOTCH Space",
    "probe": "Probe",
    "remote": "SdkTransport openai",
    "spec": "PROVIDERS Spec parse",
    "transport": "ServiceFault",
}
"""The names that other rooms and extensions use, by the module that defines them."""

__all__ = [
    "Budget",
    "MeteredModel",
    "Price",
    "Prices",
    "RemoteModel",
    "RetryPolicy",
    "Spending",
    "Tape",
    "describe_model",
    "meter",
    "open_model",
    "probe",
    "read_prices",
]
__all__ += names_of(_HOMES)  # noqa: PLE0605 - the table above is no literal


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
