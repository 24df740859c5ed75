"""Telling the members of a union apart by their `kind` when they are read."""

from __future__ import annotations

from typing import Any


class ByKind:
    """Annotation for unions whose members carry a literal `kind`; read by the codec only.

    Without it a value with a wrong key would be tried against every member and the error would name
    them all.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from typing import Annotated

        from pydantic import Field

        return handler.generate_schema(Annotated[source, Field(discriminator="kind")])


BY_KIND = ByKind()
