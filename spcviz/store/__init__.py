"""Model files: one ``.npz`` of plain arrays and one ``.json`` manifest, atomic and verified.

`spcviz.store.tree` converts models, and results of function calls, to such arrays and back.
"""

from spcviz.store.archive import digest_of_arrays
from spcviz.store.atomic import write_json_atomic
from spcviz.store.errors import StoreError, repair_command
from spcviz.store.layout import arrays_of, record_of, stored_as
from spcviz.store.models import (
    ModelStatus,
    StoredModel,
    list_models,
    load_model,
    save_model,
    set_licence,
    verify_model,
)
from spcviz.store.tree import flatten, rebuild
from spcviz.store.values import load_value, save_value

__all__ = [
    "ModelStatus",
    "StoreError",
    "StoredModel",
    "arrays_of",
    "digest_of_arrays",
    "flatten",
    "list_models",
    "load_model",
    "load_value",
    "rebuild",
    "record_of",
    "repair_command",
    "save_model",
    "save_value",
    "set_licence",
    "stored_as",
    "verify_model",
    "write_json_atomic",
]
