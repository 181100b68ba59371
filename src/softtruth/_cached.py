"""A property that is worked out once for each object: that of ``functools``, which up to Python 3.11 takes a lock.

That lock is one for all objects of a class, so that threads would count their data one after the other.
"""

from __future__ import annotations

import sys

__all__ = ["cached_property"]

if sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

    if TYPE_CHECKING:
        from collections.abc import Callable

    Value = TypeVar("Value")

    class cached_property(Generic[Value]):  # noqa: N801  # a name that editors and documentation tools know
        """What `functools.cached_property` is from Python 3.12 on."""

        def __init__(self, func: Callable[[Any], Value]) -> None:
            """Wrap the method that works out the value."""
            self.func = func
            self.__doc__ = func.__doc__
            self.__module__ = func.__module__

        def __set_name__(self, owner: type, name: str) -> None:
            """Learn the name under which the value is kept."""
            self.attrname = name

        @overload
        def __get__(self, instance: None, owner: type | None = None) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type | None = None) -> Value: ...
        def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
            """Work out the value and keep it in the object, which is asked first from then on."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
