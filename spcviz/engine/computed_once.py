"""A property that is computed when it is first read, without a lock that instances share."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class computed_once(Generic[Value]):
    """A decorator: the method's value is kept in the instance's ``__dict__``, where later reads find it.

    `functools.cached_property` does the same but holds one lock for all instances up to Python 3.11: threads
    that pruned different words waited for each other, all users of a class behind the one that held the lock
    while its kernel ran. Two threads that read one instance at once may both compute; they get equal values.

    >>> class Square:
    ...     @computed_once
    ...     def area(self):
    ...         print("computed")
    ...         return 9
    >>> square = Square()
    >>> square.area, square.area
    computed
    (9, 9)
    """

    def __init__(self, method: Callable[[Any], Value]):
        self.method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "computed_once[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.method(instance))
