"""Vision language models: one vocabulary for requests and replies, four wire formats, a table of families."""

from gui_agent.models.budget import Budget, MeteredModel, Price, Prices, Spending, meter, read_prices
from gui_agent.models.cassette import Tape
from gui_agent.models.probe import probe
from gui_agent.models.remote import RemoteModel, RetryPolicy, describe_model, open_model

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
